import { test } from '@japa/runner'

import { type LinkingDecision, type LocalAccount, decideLinking } from '#kit/social/admission'
import type { AddressClaim } from '#kit/social/types'

const SAYS: AddressClaim[] = ['verified', 'unverified', 'nothing']

/** Four kinds of local accounts; other identities of an account change nothing. */
const LOCAL: { what: string; local: LocalAccount; vouched: LinkingDecision }[] = [
  { what: 'no account', local: 'none', vouched: 'create' },
  { what: 'a verified account', local: 'verified', vouched: 'join' },
  { what: 'an unverified account', local: 'unverified', vouched: 'claim' },
  { what: 'a verified account with other identities', local: 'verified', vouched: 'join' },
]

test.group('Rule for linking', () => {
  for (const says of SAYS) {
    for (const isTrusted of [true, false]) {
      for (const { what, local, vouched } of LOCAL) {
        const decision = says === 'verified' && isTrusted ? vouched : 'verify'
        test(`the provider says "${says}", ${isTrusted ? 'is' : 'is not'} trusted, ${what}: ${decision}`, ({
          assert,
        }) => {
          assert.equal(decideLinking({ says, isTrusted, local }), decision)
        })
      }
    }
  }
})
