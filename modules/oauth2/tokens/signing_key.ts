import {
  type KeyObject,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  randomBytes,
} from 'node:crypto'

import { InvalidArgumentsException, RuntimeException } from '@adonisjs/core/exceptions'
import type { Secret } from '@adonisjs/core/helpers'
import { type CryptoKey, SignJWT, generateKeyPair, importPKCS8, importSPKI } from 'jose'

/** Bytes a secret must have: as many as the hash puts out (RFC 7518 §3.2). */
const HMAC_BYTES = new Map([
  ['HS256', 32],
  ['HS384', 48],
  ['HS512', 64],
])

const ASYMMETRIC = [
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

/** The key of access tokens, imported once: a `KeyObject` for HMAC, and `CryptoKey`s for asymmetric algorithms. */
export interface SigningKey {
  algorithm: string
  sign: CryptoKey | KeyObject
  verify: CryptoKey | KeyObject
}

/**
 * Imports the signing key. Without one an ephemeral key is made, with a
 * warning, and tokens die on restart.
 *
 * @throws {RuntimeException} in production without a key
 * @throws {InvalidArgumentsException} for an unknown algorithm, or a key that does not fit it
 */
export async function loadSigningKey(
  config: { key: Secret<string> | null; algorithm: string },
  environment: { inProduction: boolean; warn: (message: string) => void }
): Promise<SigningKey> {
  const { key, algorithm } = config
  if (!HMAC_BYTES.has(algorithm) && !ASYMMETRIC.includes(algorithm)) {
    throw new InvalidArgumentsException(
      `OAuth2Config: unknown algorithm "${algorithm}". Use ${[...HMAC_BYTES.keys(), ...ASYMMETRIC].join(', ')}`
    )
  }
  if (key) {
    return HMAC_BYTES.has(algorithm)
      ? importSecret(key.release(), algorithm, environment)
      : importPem(key.release(), algorithm)
  }
  if (environment.inProduction) {
    throw new RuntimeException(
      'OAuth2Config: "key" is required in production. Set OAUTH_KEY in the environment'
    )
  }
  environment.warn(
    'OAuth2Config: there is no "key", so an ephemeral one was made. Access tokens die when the process ends; set OAUTH_KEY to keep them'
  )
  return generate(algorithm)
}

async function generate(algorithm: string): Promise<SigningKey> {
  const bytes = HMAC_BYTES.get(algorithm)
  if (bytes) {
    return symmetric(algorithm, randomBytes(bytes))
  }
  const { privateKey, publicKey } = await generateKeyPair(algorithm)
  return { algorithm, sign: privateKey, verify: publicKey }
}

function importSecret(
  secret: string,
  algorithm: string,
  { inProduction, warn }: { inProduction: boolean; warn: (message: string) => void }
): SigningKey {
  const bytes = Buffer.from(secret)
  const required = HMAC_BYTES.get(algorithm)!
  if (bytes.length < required) {
    const message = `OAuth2Config: "key" must be at least ${required} bytes long for ${algorithm}`
    if (inProduction) {
      throw new InvalidArgumentsException(message)
    }
    warn(message)
  }
  return symmetric(algorithm, bytes)
}

function symmetric(algorithm: string, bytes: Buffer): SigningKey {
  const key = createSecretKey(bytes)
  return { algorithm, sign: key, verify: key }
}

/** An environment variable often holds the line breaks of a PEM as `\n`. */
async function importPem(pem: string, algorithm: string): Promise<SigningKey> {
  try {
    const privateKey = createPrivateKey(pem.replaceAll('\\n', '\n'))
    const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }) as string
    const sign = await importPKCS8(pkcs8, algorithm)
    /* An RSA key that is too short can be imported, and fails at the first signature. */
    await new SignJWT({}).setProtectedHeader({ alg: algorithm }).sign(sign)
    return { algorithm, sign, verify: await importSPKI(spki, algorithm) }
  } catch {
    throw new InvalidArgumentsException(
      `OAuth2Config: "key" must be a private key in PEM that fits the algorithm ${algorithm}; RSA keys have at least 2048 bits`
    )
  }
}
