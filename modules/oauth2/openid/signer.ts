import { KeyObject } from 'node:crypto'

import { signJwt, verifyJwt } from '#oauth2/tokens/signature'
import type { SigningKey } from '#oauth2/tokens/signing_key'

type Json = Record<string, unknown>

/** Signs and verifies JWTs. */
export interface Signer {
  readonly signingAlgorithm: string
  readonly isAsymmetric: boolean
  sign(claims: object, header?: Json): Promise<string>
  verify(token: string, options?: { typ?: string }): Promise<{ header: Json; claims: Json }>
}

export function createSigner(key: SigningKey): Signer {
  return {
    signingAlgorithm: key.algorithm,
    isAsymmetric: !(key.sign instanceof KeyObject),
    sign: async (claims, header = {}) => signJwt(header, claims, key),
    async verify(token, { typ } = {}) {
      const verified = await verifyJwt(token, key)
      if (typ && String(verified.header.typ).toLowerCase() !== typ) throw new Error('typ')
      return verified
    },
  }
}
