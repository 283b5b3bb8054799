import type { JWK } from 'jose'

import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'

/** Members of a JSON Web Key that belong to the private part, or to a shared secret (RFC 7518 §6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** More keys than a client has a use for. */
const MAX_KEYS = 20

/** Types of asymmetric keys (RFC 7518 §6.1, RFC 8037 §2). */
const KEY_TYPES = ['RSA', 'EC', 'OKP']

/** Whether a JSON Web Key has something that nobody else may know. */
export function hasPrivateMembers(key: unknown): boolean {
  return PRIVATE_MEMBERS.some((name) => Object.hasOwn(Object(key), name))
}

/**
 * The keys of a JSON Web Key Set (RFC 7517 §5) that verify signatures. Keys for
 * another use, and of a type that is not known here, are left out.
 *
 * @returns null when it is no set of public keys, or has none of use
 */
export function readPublicKeys(set: unknown): JWK[] | null {
  const keys = (set as { keys?: unknown } | null | undefined)?.keys
  if (!Array.isArray(keys) || keys.length > MAX_KEYS || keys.some(hasPrivateMembers)) {
    return null
  }
  const usable = keys.filter(verifiesSignatures)
  return usable.length ? usable : null
}

function verifiesSignatures(key: unknown): key is JWK {
  const { kty, use, alg } = Object(key)
  return (
    KEY_TYPES.includes(kty) &&
    (use === undefined || use === 'sig') &&
    (alg === undefined || ASYMMETRIC_ALGORITHMS.includes(alg))
  )
}
