import { hash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'

import { generateIdentifier } from '#security/secrets'
import type { Features } from '#auth/features'
import { type SecurityEventLog, recordSecurityEvent } from '#auth/security_events'
import type { MaybePromise } from '#process/maybe_promise'
import type { Users } from '#auth/users'

const COOKIE = 'known_device'
/** Browsers keep a cookie for 400 days at most (RFC 6265bis §5.5). */
const LIFETIME = '400d'
/** The oldest subject is forgotten first. */
const MAX_SUBJECTS = 10

interface KnownDevice {
  id: string
  /** Digests of actions and subjects with a success, each followed by one of the password's stamp. */
  subjects: string[]
}

/** What a request has remembered so far: several features may. */
const remembered = new WeakMap<HttpContext, KnownDevice>()

/** Stored with a subject: a new password ends the trust in the device. Null where there is no password. */
export type DeviceStamp = string | null
/** Gives the stamps that are valid; called only for a device that has succeeded. */
export type Stamps = () => MaybePromise<readonly DeviceStamp[]>

/** The id of the caller's device, if it has succeeded with this subject before; null otherwise. */
export async function findKnownDevice(
  action: string,
  subject: string,
  ctx: HttpContext,
  stamps: Stamps = () => [null]
): Promise<string | null> {
  const device = read(ctx.request)
  const name = device && digest(action, subject)
  if (!name || !device.subjects.some((known) => known.startsWith(name))) {
    return null
  }
  const present = await stamps()
  const counting = present.map((stamp) => `${name}${digestOf(stamp)}`)
  return device.subjects.some((known) => counting.includes(known)) ? device.id : null
}

/**
 * Marks the caller's device with a long-lived encrypted cookie. It proves a successful login in the
 * past and signs nobody in: it only decides which counter a failed attempt adds to, and whether a
 * sign-in is reported as new (OWASP, "Device cookies").
 */
export function rememberDevice(
  action: string,
  subject: string,
  ctx: HttpContext,
  stamp: DeviceStamp = null
): void {
  const known = remembered.get(ctx) ?? read(ctx.request)
  const name = digest(action, subject)
  const others = (known?.subjects ?? []).filter((other) => !other.startsWith(name))
  const subjects = [`${name}${digestOf(stamp)}`, ...others].slice(0, MAX_SUBJECTS)
  const device: KnownDevice = { id: known?.id ?? generateIdentifier(), subjects }
  remembered.has(ctx) && withdrawCookie(ctx)
  remembered.set(ctx, device)
  ctx.response.encryptedCookie(COOKIE, device, { httpOnly: true, maxAge: LIFETIME })
}

/** AdonisJS appends cookies, and browsers keep the last of one name (RFC 6265bis §5.6). */
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
function digest(...parts: string[]) {
  return hash('sha256', JSON.stringify(parts), 'base64url').slice(0, 22)
}

const digestOf = (stamp: DeviceStamp) => (stamp === null ? '' : digest(stamp))

const ACTION = 'signIns'

/** Records a sign-in, and whether it comes from a new device. The first sign-in in the log is never new. */
export async function recordSignIn(
  features: Pick<Features, 'feature'>,
  users: Users,
  user: unknown,
  ctx: HttpContext
): Promise<void> {
  const log = features.feature('securityLog')
  let isNew = false
  if (log) {
    const subject = users.subjectOf(user)
    const known = await findKnownDevice(ACTION, subject, ctx, () => users.passwordStamps(user))
    rememberDevice(ACTION, subject, ctx, users.passwordStamp(user))
    isNew = known === null && (await hasSignedIn(log, user, users, ctx))
  }
  await recordSecurityEvent(ctx, user, isNew ? 'new_device' : 'signed_in', {}, users)
}

/** A log that cannot be read blocks no sign-in. */
function hasSignedIn(log: SecurityEventLog, user: unknown, users: Users, { logger }: HttpContext) {
  return log.hasSignIns(user, users).catch((error) => {
    logger.error({ err: error }, 'Cannot read the security log')
    return false
  })
}
