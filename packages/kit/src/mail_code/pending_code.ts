import type { HttpContext } from '@adonisjs/core/http'

import { isExpired } from '#database/expiry'
import type { MailCodePurpose } from '#mail_code/types'

/** A code that this browser has asked for. A newer one replaces it. */
export interface PendingCode {
  id: string
  purpose: MailCodePurpose
  email: string
  remember: boolean
  /** Epoch milliseconds. */
  expiresAt: number
}

const KEY = 'mail_code'

/** Text, because a session stores its changes path by path, and this is one thing. */
export function keepCode({ session }: HttpContext, code: PendingCode): void {
  session.put(KEY, JSON.stringify(code))
}

/** The code that the browser of this request has asked for, for this purpose; null when there is none, e.g. at a token endpoint, which has no session. */
export function findCode({ session }: HttpContext, purpose: MailCodePurpose): PendingCode | null {
  const text: string | null = session?.get(KEY, null) ?? null
  const code: PendingCode | null = text === null ? null : JSON.parse(text)
  return code?.purpose === purpose && !isExpired(code.expiresAt) ? code : null
}

export function forgetCode({ session }: HttpContext): void {
  session?.forget(KEY)
}
