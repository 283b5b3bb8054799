import { KeyObject, createHmac } from 'node:crypto'
import { isUtf8 } from 'node:buffer'

import { safeEqual } from '@adonisjs/core/helpers'
import { CompactSign, compactVerify, errors } from 'jose'

import type { MaybePromise } from '#process/maybe_promise'
import type { SigningKey } from '#oauth2/keys/signing_key'
import { isObject } from '#process/objects'

/* JWTs as text (RFC 7519 §7). HMAC is node:crypto's, in a tenth of WebCrypto's time; the rest is jose's. */

export type Json = Record<string, unknown>

const BASE64URL = /^[A-Za-z0-9_-]+$/

export function signJwt(header: Json, claims: object, key: SigningKey): MaybePromise<string> {
  const protectedHeader = { ...header, alg: key.algorithm }
  if (!(key.sign instanceof KeyObject)) {
    return new CompactSign(Buffer.from(JSON.stringify(claims)))
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
  const { protectedHeader, payload } = await compactVerify(token, key.verify, {
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
  if (parts.length !== 3 || !parts.every((part) => BASE64URL.test(part))) {
    throw new errors.JWSInvalid('Invalid Compact JWS')
  }
  const [encodedHeader, encodedClaims, signature] = parts as [string, string, string]
  const header = decode(encodedHeader)
  if (header.alg !== algorithm) {
    throw new errors.JOSEAlgNotAllowed('"alg" (Algorithm) Header Parameter value not allowed')
  }
  /* No extension is understood here, and one that is critical must be (RFC 7515 §4.1.11). */
  if (header.crit !== undefined) {
    throw new errors.JOSENotSupported('Extension Header Parameters are not recognized')
  }
  if (!safeEqual(hmac(`${encodedHeader}.${encodedClaims}`, algorithm, key), signature)) {
    throw new errors.JWSSignatureVerificationFailed()
  }
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
  throw new errors.JWTInvalid('JWT Claims Set must be a top-level JSON object')
}
