import type { JWK } from 'jose'

import { parseKeysUrl } from '#oauth2/clients/assertions/keys_url'
import { readPublicKeys } from '#oauth2/clients/assertions/public_keys'

/** Where the keys of a client are: in its registration, or behind a URL (RFC 7591 §2). */
export interface RegisteredKeys {
  jwks: JWK[] | null
  jwksUri: string | null
}

/**
 * The keys of a client that authenticates by `private_key_jwt`.
 *
 * @param members `jwks`, a JSON Web Key Set, or `jwks_uri`, and never both
 * @returns what is wrong with them as a sentence, or the keys
 */
export function readRegisteredKeys(members: {
  jwks?: unknown
  jwks_uri?: unknown
}): RegisteredKeys | string {
  const { jwks, jwks_uri: uri } = members
  const isGiven = (member: unknown) => member !== undefined && member !== null
  if (isGiven(jwks) === isGiven(uri)) {
    return 'private_key_jwt needs either jwks or jwks_uri.'
  }
  if (isGiven(uri)) {
    return typeof uri === 'string' && parseKeysUrl(uri)
      ? { jwks: null, jwksUri: uri }
      : 'The jwks_uri must be an https URL with a host name, without user and fragment.'
  }
  const keys = readPublicKeys(jwks)
  return keys
    ? { jwks: keys, jwksUri: null }
    : 'The jwks must be a JSON Web Key Set of 1 to 20 public keys for signatures.'
}
