import { SHOWN_NAME, isStorable } from '#database/storable_text'
import { assertOr } from '#process/assert_or'
import type { AddressClaim } from '#social/types'

/** Columns are this long. */
const MAX_EMAIL = 254
const MAX_NAME = 255
/** OpenID Connect Core 1.0 §2. */
const MAX_SUBJECT = 255

/** Seconds by which the clocks of two machines may differ. */
export const CLOCK_SKEW = 30

/** Without signs that quote, comment or list in a header: a mail to `<ann@example.com>.org` goes to Ann (RFC 5322 §3.4), as one to `ann@ⓔxample.com` does. */
const ADDRESS =
  /^[^@\s\p{Cc}\p{Cf}\p{Cs}()<>[\],:;"\\]+@(?:[ßς]|[^@\s\p{Cc}\p{Cf}\p{Cs}\p{CWKCF}\u3002()<>[\],:;"\\/?#%])+$/u

/** An address as accounts are looked up by it, and what the provider says about it. Some write `"true"`. */
export function addressOf(email: unknown, isVerified: unknown) {
  const said = typeof email === 'string' ? email.trim() : ''
  const address = said.toLowerCase()
  /* The lower case of the sign for kelvin is the letter k: the address is another mailbox than the one it would be taken for. */
  const isSame = address.toUpperCase() === said.toUpperCase()
  const isUsable = address.length <= MAX_EMAIL && ADDRESS.test(address) && isSame
  return { email: isUsable ? address : null, says: claimOf(isVerified) }
}

/**
 * A subject as identities are looked up by it. A provider that has none to tell leaves it empty, for everybody.
 * @throws {Error} for one that is empty, or cannot be stored
 */
export function subjectOf(sub: string): string {
  const isUsable = sub.trim() !== '' && sub.length <= MAX_SUBJECT && isStorable(sub)
  assertOr(isUsable, Error, 'the subject is empty or too long, or cannot be stored')
  return sub
}

/** A name that others can be shown, cut between two characters; null for everything else. */
export function claimText(value: unknown): string | null {
  const text = typeof value === 'string' && SHOWN_NAME.test(value.trim()) ? value.trim() : ''
  return text === '' ? null : text.slice(0, MAX_NAME).replace(/\p{Surrogate}$/u, '')
}

function claimOf(isVerified: unknown): AddressClaim {
  if (isVerified === undefined || isVerified === null) {
    return 'nothing'
  }
  return isVerified === true || isVerified === 'true' ? 'verified' : 'unverified'
}
