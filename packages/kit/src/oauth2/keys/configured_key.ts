import { createSecretKey, randomBytes } from 'node:crypto'

import { InvalidArgumentsException, RuntimeException } from '@adonisjs/core/exceptions'
import type { Secret } from '@adonisjs/core/helpers'

import {
  ASYMMETRIC_ALGORITHMS,
  type SigningKey,
  generateKey,
  importPrivateKey,
} from '#oauth2/keys/signing_key'

/** Bytes a secret must have: as many as the hash puts out (RFC 7518 §3.2). */
const HMAC_BYTES = new Map([
  ['HS256', 32],
  ['HS384', 48],
  ['HS512', 64],
])

interface Environment {
  inProduction: boolean
  warn: (message: string) => void
}

/**
 * Imports the key of the configuration. Without one an ephemeral key is made, with a
 * warning, and tokens die on restart; unless there is a set of keys.
 *
 * @returns null without a key where there is a set
 * @throws {RuntimeException} in production without a key
 * @throws {InvalidArgumentsException} for an unknown algorithm, or a key that does not fit it
 */
export async function loadConfiguredKey<HasSet extends boolean = false>(
  config: { key: Secret<string> | null; algorithm: string },
  environment: Environment,
  hasSet?: HasSet
): Promise<HasSet extends true ? SigningKey | null : SigningKey>
export async function loadConfiguredKey(
  { key, algorithm }: { key: Secret<string> | null; algorithm: string },
  environment: Environment,
  hasSet = false
): Promise<SigningKey | null> {
  const known = [...HMAC_BYTES.keys(), ...ASYMMETRIC_ALGORITHMS]
  if (!known.includes(algorithm)) {
    throw new InvalidArgumentsException(
      `OAuth2Config: unknown algorithm "${algorithm}". Use ${known.join(', ')}`
    )
  }
  if (key) {
    return HMAC_BYTES.has(algorithm)
      ? importSecret(key.release(), algorithm, environment)
      : importPem(key.release(), algorithm)
  }
  if (hasSet) {
    return null
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
  return bytes ? symmetric(algorithm, randomBytes(bytes)) : generateKey(algorithm)
}

function importSecret(
  secret: string,
  algorithm: string,
  { inProduction, warn }: Environment
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
  const key = await importPrivateKey(pem.replaceAll('\\n', '\n'), algorithm)
  if (!key) {
    throw new InvalidArgumentsException(
      `OAuth2Config: "key" must be a private key in PEM that fits the algorithm ${algorithm}; RSA keys have at least 2048 bits`
    )
  }
  return key
}
