import { createHash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

import { generateIdentifier } from '#support/secrets'

const COOKIE = 'known_device'

/** Browsers keep a cookie for 400 days at most (RFC 6265bis §5.5). */
const LIFETIME = '400d'

/** People who share a browser; the one who has not signed in for longest is forgotten first. */
const MAX_SUBJECTS = 5

interface KnownDevice {
  id: string
  /** Digests of the actions and subjects that this device has succeeded with. */
  subjects: string[]
}

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
 * counter a failed attempt adds to (OWASP, "Device cookies").
 */
export function rememberDevice(action: string, subject: string, ctx: HttpContext): void {
  const known = read(ctx.request)
  const added = digest(action, subject)
  const others = (known?.subjects ?? []).filter((other) => other !== added)
  const device: KnownDevice = {
    id: known?.id ?? generateIdentifier(),
    subjects: [added, ...others].slice(0, MAX_SUBJECTS),
  }
  ctx.response.encryptedCookie(COOKIE, device, { httpOnly: true, maxAge: LIFETIME })
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
