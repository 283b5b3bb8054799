import { isUtf8 } from 'node:buffer'
import {
  KeyObject,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  randomBytes,
} from 'node:crypto'

import { type Secret, safeEqual } from '@adonisjs/core/helpers'
import * as jose from 'jose'

import { assertArgument, assertRuntime } from '#config/checks'
import { assertOr } from '#process/assert_or'
import type { MaybePromise } from '#process/maybe_promise'
import { isObject } from '#process/objects'

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
  sign: jose.CryptoKey | KeyObject
  verify: jose.CryptoKey | KeyObject
}

export async function generateKey(algorithm: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await jose.generateKeyPair(algorithm)
  return { algorithm, sign: privateKey, verify: publicKey }
}

/** @returns null when the PEM does not fit the algorithm, or is too weak for it (RFC 7518 §3.3) */
export async function importPrivateKey(pem: string, algorithm: string): Promise<SigningKey | null> {
  try {
    const sign = await importHalf(createPrivateKey(pem), algorithm)
    /* An RSA key that is too short can be imported, and fails at the first signature. */
    const key = { algorithm, sign, verify: await importHalf(createPublicKey(pem), algorithm) }
    await signJwt({}, {}, key)
    return key
  } catch {
    return null
  }
}

const importHalf = async (half: KeyObject, algorithm: string) =>
  (await jose.importJWK(half.export({ format: 'jwk' }), algorithm)) as jose.CryptoKey

/** @throws {InvalidArgumentsException} for an algorithm that is unknown here */
export function assertAlgorithm(algorithm: string): void {
  const known = [...HMAC_BYTES.keys(), ...ASYMMETRIC_ALGORITHMS]
  const unknown = `OAuth2Config: unknown algorithm "${algorithm}". Use ${known.join(', ')}`
  assertArgument(known.includes(algorithm), unknown)
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
  const missing = 'OAuth2Config: "key" is required in production. Set OAUTH_KEY in the environment'
  assertRuntime(!inProduction, missing)
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
  const unusable = `OAuth2Config: "key" must be a private key in PEM that fits the algorithm ${algorithm}; RSA keys have at least 2048 bits`
  assertArgument(key, unusable)
  return key
}

/* JWTs as text (RFC 7519 §7). HMAC is node:crypto's, in a tenth of WebCrypto's time; the rest is jose's. */

export type Json = Record<string, unknown>

const BASE64URL = /^[A-Za-z0-9_-]+$/

export function signJwt(header: Json, claims: object, key: SigningKey): MaybePromise<string> {
  const protectedHeader = { ...header, alg: key.algorithm }
  if (!(key.sign instanceof KeyObject)) {
    return new jose.CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader(protectedHeader)
      .sign(key.sign)
  }
  const text = `${encode(protectedHeader)}.${encode(claims)}`
  return `${text}.${hmac(text, key.algorithm, key.sign)}`
}

/** The header and the claims, which the caller judges. @throws {errors.JOSEError} */
export async function verifyJwt(token: string, key: SigningKey) {
  if (key.verify instanceof KeyObject) {
    return verifyHmac(token, key.algorithm, key.verify)
  }
  const { protectedHeader, payload } = await jose.compactVerify(token, key.verify, {
    algorithms: [key.algorithm],
  })
  return { header: { ...protectedHeader }, claims: parse(Buffer.from(payload)) }
}

/** The header of a token that is not verified yet. @throws {errors.JOSEError} when it is none */
export function readHeader(token: string): Json {
  return decode(token.slice(0, Math.max(token.indexOf('.'), 0)))
}

function verifyHmac(token: string, algorithm: string, key: KeyObject) {
  const parts = token.split('.')
  const isCompact = parts.length === 3 && parts.every((part) => BASE64URL.test(part))
  assertOr(isCompact, jose.errors.JWSInvalid, 'Invalid Compact JWS')
  const [encodedHeader, encodedClaims, signature] = parts as [string, string, string]
  const header = decode(encodedHeader)
  if (header.alg !== algorithm) {
    throw new jose.errors.JOSEAlgNotAllowed('"alg" (Algorithm) Header Parameter value not allowed')
  }
  /* No extension is understood here, and one that is critical must be (RFC 7515 §4.1.11). */
  const isPlain = header.crit === undefined
  assertOr(isPlain, jose.errors.JOSENotSupported, 'Extension Header Parameters are not recognized')
  const computed = hmac(`${encodedHeader}.${encodedClaims}`, algorithm, key)
  assertOr(safeEqual(computed, signature), jose.errors.JWSSignatureVerificationFailed)
  return { header, claims: decode(encodedClaims) }
}

function hmac(text: string, algorithm: string, key: KeyObject) {
  const computed = createHmac(`sha${algorithm.slice(2)}`, key)
  return computed.update(text).digest('base64url')
}

const encode = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')

const decode = (text: string): Json => parse(Buffer.from(text, 'base64url'))

/** @throws {errors.JWTInvalid} unless the bytes are a JSON object */
function parse(bytes: Buffer): Json {
  try {
    const value: unknown = isUtf8(bytes) && JSON.parse(bytes.toString())
    if (isObject(value)) {
      return value as Json
    }
  } catch {
    /* Not JSON. */
  }
  throw new jose.errors.JWTInvalid('JWT Claims Set must be a top-level JSON object')
}
