import {
  type KeyObject,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  randomBytes,
} from 'node:crypto'

import type { Secret } from '@adonisjs/core/helpers'
import { type CryptoKey, SignJWT, generateKeyPair, importPKCS8, importSPKI } from 'jose'

import { assertArgument, assertRuntime } from '#config/checks'

/** Bytes a secret must have: as many as the hash puts out (RFC 7518 §3.2). */
const HMAC_BYTES = new Map([
  ['HS256', 32],
  ['HS384', 48],
  ['HS512', 64],
])

export const ASYMMETRIC_ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]

/**
 * The algorithm of a new key unless one is named. ES256 has the smallest keys and signatures that all
 * libraries know; every OpenID provider signs ID tokens with RS256 (Discovery 1.0 §3).
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

export async function generateKey(algorithm: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm)
  return { algorithm, sign: privateKey, verify: publicKey }
}

/** @returns null when the PEM does not fit the algorithm, or is too weak for it (RFC 7518 §3.3) */
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

/** @throws {InvalidArgumentsException} for an algorithm that is unknown here */
export function assertAlgorithm(algorithm: string): void {
  const known = [...HMAC_BYTES.keys(), ...ASYMMETRIC_ALGORITHMS]
  assertArgument(
    known.includes(algorithm),
    `OAuth2Config: unknown algorithm "${algorithm}". Use ${known.join(', ')}`
  )
}

/**
 * Imports the key of the configuration. Without one an ephemeral key is made, with a warning.
 * @throws {RuntimeException} in production without a key
 * @throws {InvalidArgumentsException} for a key that does not fit its algorithm
 */
export async function loadConfiguredKey(
  { key, algorithm }: { key: Secret<string> | null; algorithm: string },
  { inProduction, warn }: { inProduction: boolean; warn: (message: string) => void }
): Promise<SigningKey> {
  const bytes = HMAC_BYTES.get(algorithm)
  if (key) {
    const secret = Buffer.from(key.release())
    if (bytes && secret.length < bytes) {
      const message = `OAuth2Config: "key" must be at least ${bytes} bytes long for ${algorithm}`
      assertArgument(!inProduction, message)
      warn(message)
    }
    return bytes ? symmetric(algorithm, secret) : importPem(key.release(), algorithm)
  }
  assertRuntime(
    !inProduction,
    'OAuth2Config: "key" is required in production. Set OAUTH_KEY in the environment'
  )
  warn(
    'OAuth2Config: there is no "key", so an ephemeral one was made. Access tokens die when the process ends; set OAUTH_KEY to keep them'
  )
  return bytes ? symmetric(algorithm, randomBytes(bytes)) : generateKey(algorithm)
}

function symmetric(algorithm: string, bytes: Buffer): SigningKey {
  const key = createSecretKey(bytes)
  return { algorithm, sign: key, verify: key }
}

/** An environment variable often holds the line breaks of a PEM as `\n`. */
async function importPem(pem: string, algorithm: string): Promise<SigningKey> {
  const key = await importPrivateKey(pem.replaceAll('\\n', '\n'), algorithm)
  assertArgument(
    key,
    `OAuth2Config: "key" must be a private key in PEM that fits the algorithm ${algorithm}; RSA keys have at least 2048 bits`
  )
  return key
}
