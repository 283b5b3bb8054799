import type { HttpContext } from '@adonisjs/core/http'
import Bowser from 'bowser'

import { withoutPort } from '#http/public_address'

/** Characters that are kept of a `User-Agent`: real ones name browser and system within them. */
const MAX_LENGTH = 255

/** Longest text of an address: an IPv6 address with an embedded IPv4 one. */
const MAX_ADDRESS_LENGTH = 45

/** From where a request comes, and with what, short enough to be kept. */
export type Caller = { ipAddress: string | null; userAgent: string | null }

export const UNKNOWN_CALLER: Caller = { ipAddress: null, userAgent: null }

export function callerOf({ request }: HttpContext): Caller {
  const userAgent = request.header('user-agent')?.replace(/[^\x20-\x7E]/g, '')
  return {
    ipAddress: withoutPort(request.ip()).slice(0, MAX_ADDRESS_LENGTH) || null,
    userAgent: userAgent?.slice(0, MAX_LENGTH) ?? null,
  }
}

export type Device = { browser: string | null; system: string | null }

/** Browser and operating system as a `User-Agent` names them; null for what it does not. */
export function describeDevice(userAgent: string | null): Device {
  if (!userAgent) {
    return { browser: null, system: null }
  }
  const { browser, os } = Bowser.parse(userAgent)
  return { browser: browser.name || null, system: os.name || null }
}
