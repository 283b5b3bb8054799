import type { JWK } from 'jose'

import { parseKeysUrl } from '#oauth2/clients/documents/client_urls'
import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'

/** Members of a JSON Web Key that belong to the private part, or to a shared secret (RFC 7518 §6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const MAX_KEYS = 20

/** Types of asymmetric keys (RFC 7518 §6.1, RFC 8037 §2). */
const KEY_TYPES = ['RSA', 'EC', 'OKP']

export function hasPrivateMembers(key: unknown): boolean {
  return PRIVATE_MEMBERS.some((name) => Object.hasOwn(Object(key), name))
}

/** The keys of a JSON Web Key Set (RFC 7517 §5) that verify signatures; null without any, and for no public set. */
export function readPublicKeys(set: unknown): JWK[] | null {
  const { keys } = Object(set)
  if (!Array.isArray(keys) || keys.length > MAX_KEYS || keys.some(hasPrivateMembers)) {
    return null
  }
  const usable = keys.filter(verifiesSignatures)
  return usable.length ? usable : null
}

function verifiesSignatures(key: unknown): key is JWK {
  const { kty, use = 'sig', alg } = Object(key)
  const isKnown = alg === undefined || ASYMMETRIC_ALGORITHMS.includes(alg)
  return KEY_TYPES.includes(kty) && use === 'sig' && isKnown
}

/** Where the keys of a client are: in its registration, or behind a URL (RFC 7591 §2). */
export type RegisteredKeys = { jwks: JWK[] | null; jwksUri: string | null }

/** The keys for `private_key_jwt`, in `jwks` or behind `jwks_uri` and never both; or what is wrong, as a sentence. */
export function readRegisteredKeys(members: {
  jwks?: unknown
  jwks_uri?: unknown
}): RegisteredKeys | string {
  const { jwks = null, jwks_uri: uri = null } = members
  if ((jwks === null) === (uri === null)) {
    return 'private_key_jwt needs either jwks or jwks_uri.'
  }
  if (uri !== null) {
    return typeof uri === 'string' && parseKeysUrl(uri)
      ? { jwks: null, jwksUri: uri }
      : 'The jwks_uri must be an https URL with a host name, without user and fragment.'
  }
  const keys = readPublicKeys(jwks)
  return keys
    ? { jwks: keys, jwksUri: null }
    : 'The jwks must be a JSON Web Key Set of 1 to 20 public keys for signatures.'
}
