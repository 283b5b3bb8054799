import type { AddressClaim } from '#social/types'

/** What this application knows about the address of a new identity. */
export type LocalAccount = 'none' | 'verified' | 'unverified'

/**
 * What becomes of an identity that nobody has yet.
 *
 * - `create` an account is made
 * - `join` the account with this address gets it, after its owner has signed in once more
 * - `claim` the account with this address was prepared by somebody who never showed that it is theirs: its owner gets it, and nothing of before goes on
 * - `verify` the person has to show here that the address is theirs
 */
export type LinkingDecision = 'create' | 'join' | 'claim' | 'verify'

/**
 * The rule for linking: an identity is an issuer and a subject, and an address is
 * a hint. It counts when the provider has verified it and is trusted for it.
 */
export function decideLinking(known: {
  says: AddressClaim
  isTrusted: boolean
  local: LocalAccount
}): LinkingDecision {
  if (known.says !== 'verified' || !known.isTrusted) {
    return 'verify'
  }
  return ({ none: 'create', verified: 'join', unverified: 'claim' } as const)[known.local]
}
