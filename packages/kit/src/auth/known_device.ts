import { createHash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

import { generateIdentifier } from '#support/secrets'

const COOKIE = 'known_device'

/** Browsers keep a cookie for 400 days at most (RFC 6265bis §5.5). */
const LIFETIME = '400d'

/** People who share a browser; the one who has not signed in for longest is forgotten first. */
const MAX_SUBJECTS = 10

interface KnownDevice {
  id: string
  /** Digests of the actions and subjects that this device has succeeded with. */
  subjects: string[]
}

/** What a request has remembered: two features of one request may each remember something. */
const remembered = new WeakMap<HttpContext, KnownDevice>()

/** The id of the caller's device, if it has succeeded with this subject before; null otherwise. */
export function findKnownDevice(
  action: string,
  subject: string,
  { request }: HttpContext
): string | null {
  const device = read(request)
  return device?.subjects.includes(digest(action, subject)) ? device.id : null
}

/**
 * Marks the caller's device with a long-lived encrypted cookie. It proves a
 * successful login in the past and signs nobody in: it only decides which
 * counter a failed attempt adds to, and whether a sign-in is told as one from a new device (OWASP, "Device cookies").
 */
export function rememberDevice(action: string, subject: string, ctx: HttpContext): void {
  const known = remembered.get(ctx) ?? read(ctx.request)
  const added = digest(action, subject)
  const others = (known?.subjects ?? []).filter((other) => other !== added)
  const device: KnownDevice = {
    id: known?.id ?? generateIdentifier(),
    subjects: [added, ...others].slice(0, MAX_SUBJECTS),
  }
  if (remembered.has(ctx)) {
    withdrawCookie(ctx)
  }
  remembered.set(ctx, device)
  ctx.response.encryptedCookie(COOKIE, device, { httpOnly: true, maxAge: LIFETIME })
}

/** AdonisJS appends cookies: of two with one name, browsers keep the last (RFC 6265bis §5.6), and the first is waste. */
function withdrawCookie({ response }: HttpContext) {
  const cookies = [response.getHeader('set-cookie') ?? []].flat().map(String)
  const others = cookies.filter((cookie) => !cookie.startsWith(`${COOKIE}=`))
  response.removeHeader('set-cookie')
  others.forEach((cookie) => response.append('set-cookie', cookie))
}

function read(request: HttpContext['request']): KnownDevice | null {
  const device: KnownDevice | null = request.encryptedCookie(COOKIE) ?? null
  return typeof device?.id === 'string' && Array.isArray(device.subjects) ? device : null
}

/** Short, because a cookie holds several. Only this application can have encrypted it. */
function digest(action: string, subject: string) {
  return createHash('sha256')
    .update(JSON.stringify([action, subject]))
    .digest('base64url')
    .slice(0, 22)
}
