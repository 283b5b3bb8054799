import { type KeyObject, createPrivateKey, createPublicKey } from 'node:crypto'

import { type CryptoKey, SignJWT, generateKeyPair, importPKCS8, importSPKI } from 'jose'

export const ASYMMETRIC_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/**
 * The algorithm of a new key unless one is named. ES256 has the smallest keys and signatures that
 * all libraries know; every OpenID provider signs ID tokens with RS256 (Discovery 1.0 §3), which clients expect.
 */
export function defaultAlgorithm({ openid }: { openid: { enabled: boolean } }): string {
  return openid.enabled ? 'RS256' : 'ES256'
}

/** A key that was imported once: a `KeyObject` for HMAC, and `CryptoKey`s for asymmetric algorithms. */
export interface SigningKey {
  /** The only algorithm that it signs and verifies with (RFC 8725 §3.1). */
  algorithm: string
  sign: CryptoKey | KeyObject
  verify: CryptoKey | KeyObject
}

/** A new key pair for an asymmetric algorithm. */
export async function generateKey(algorithm: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm)
  return { algorithm, sign: privateKey, verify: publicKey }
}

/**
 * Imports a private key in PEM for an asymmetric algorithm.
 *
 * @returns null when it does not fit the algorithm, or is too weak for it (RFC 7518 §3.3)
 */
export async function importPrivateKey(pem: string, algorithm: string): Promise<SigningKey | null> {
  try {
    const privateKey = createPrivateKey(pem)
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string
    const sign = await importPKCS8(pkcs8, algorithm)
    /* An RSA key that is too short can be imported, and fails at the first signature. */
    await new SignJWT({}).setProtectedHeader({ alg: algorithm }).sign(sign)
    return { algorithm, sign, verify: await importSPKI(spki, algorithm) }
  } catch {
    return null
  }
}
