import type { HttpContext } from '@adonisjs/core/http'
import { type JWK, compactVerify, decodeJwt, decodeProtectedHeader, importJWK } from 'jose'

import { type DocumentFetcher, DocumentNotFetched } from '#http/document_fetcher'
import { BoundedMap } from '#process/remembered'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { ServerPart } from '#oauth2/server_part'
import { Fetches, freshFor } from '#oauth2/clients/documents/fetches'
import { parseOutgoingUrl } from '#oauth2/clients/client_urls'
import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'
import { nullFor } from '#process/null_for'

/** Milliseconds between two fetches of a set: for an unknown `kid`, which anybody can name, and after a failure. */
const INTERVAL = { unknownKey: 60_000, failure: 5000 }

/** The keys are null when they could not be had. */
type Fetched = { keys: JWK[] | null; at: number; until: number }

/** The public keys of clients: those of the registration, or those behind its `jwks_uri`. */
export class ClientKeys extends ServerPart {
  readonly #fetched = new BoundedMap<string, Fetched>(1000)
  readonly #fetches = new Fetches<Fetched>(this.server)

  constructor(
    server: AuthorizationServer,
    protected read = readSet
  ) {
    super(server)
  }

  /**
   * @param assertion without its `kid` in the set, the set is fetched again, once a minute at most
   * @returns null when the keys cannot be fetched
   * @throws {TemporarilyUnavailable | Throttled} when too many sets were fetched
   */
  async of({ jwks, jwksUri }: RegisteredKeys, assertion: string, ctx: HttpContext) {
    if (jwks || jwksUri === null) {
      return jwks
    }
    const known = this.#fetched.get(jwksUri)
    if (known && !isOutdated(known, readHeader(assertion).kid)) {
      return known.keys
    }
    const { keys } = await this.#fetches.join(jwksUri, ctx, () => this.#fetch(jwksUri))
    return keys
  }

  async #fetch(url: string): Promise<Fetched> {
    this.#fetches.take()
    const at = Date.now()
    const document = this.read(await this.server.fetcher(), new URL(url))
    const read = await document.catch(nullFor(DocumentNotFetched))
    const { keys, maxAge } = read ?? { keys: null, maxAge: 0 }
    const fetched = { keys, at, until: at + (keys ? freshFor(maxAge) : INTERVAL.failure) }
    this.#fetched.set(url, fetched)
    return fetched
  }
}

/** Reads a set from where it is: the keys, null for none, and the seconds for which they may be kept. */
async function readSet(fetcher: DocumentFetcher, url: URL) {
  const { content, maxAge } = await fetcher.fetch(url)
  return { keys: readPublicKeys(content), maxAge }
}

function isOutdated({ keys, at, until }: Fetched, kid: string | undefined): boolean {
  const now = Date.now()
  const isMissing = kid !== undefined && keys !== null && !keys.some((key) => key.kid === kid)
  return now >= until || (isMissing && now >= at + INTERVAL.unknownKey)
}

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
export function readRegisteredKeys(members: Record<string, unknown>): RegisteredKeys | string {
  const { jwks = null, jwks_uri: uri = null } = members
  if ((jwks === null) === (uri === null)) {
    return 'private_key_jwt needs either jwks or jwks_uri.'
  }
  if (uri !== null) {
    return typeof uri === 'string' && parseOutgoingUrl(uri)
      ? { jwks: null, jwksUri: uri }
      : 'The jwks_uri must be an https URL with a host name, without user and fragment.'
  }
  const keys = readPublicKeys(jwks)
  /* 2048 bits in Base64url (RFC 7518 §3.3). */
  const isLong = ({ kty, n }: JWK) => kty !== 'RSA' || String(n).length >= 342
  return keys?.every(isLong)
    ? { jwks: keys, jwksUri: null }
    : 'The jwks must be a JSON Web Key Set of 1 to 20 public keys for signatures, RSA keys of 2048 bits or more.'
}

export type Claims = Record<string, unknown>

/** Seconds that the clock of whoever signed may be ahead. */
const LEEWAY = 60

/** Seconds that an assertion may live at most, because it is remembered for as long (RFC 7523 §3, 4). */
export const MAX_LIFETIME = 3600

const MAX_JTI_LENGTH = 255

/**
 * The claims, when one of the keys has signed them; an HMAC is no signature (RFC 8725 §2.1). No critical extension is for JWTs (RFC 7797 §7).
 * @param type the `typ`, which is `JWT` unless it is there: a token of another kind must not pass (RFC 8725 §3.11)
 */
export async function verifyBy(keys: JWK[], assertion: string, type: RegExp) {
  const { kid, alg, typ = 'JWT', crit } = readHeader(assertion)
  const isType = typeof typ === 'string' && type.test(typ)
  if (typeof alg !== 'string' || !ASYMMETRIC_ALGORITHMS.includes(alg) || !isType || crit) {
    return null
  }
  for (const key of keys.filter((candidate) => mayFit(candidate, kid, alg))) {
    if (await isSignedBy(key, alg, assertion)) {
      return decodeJwt(assertion)
    }
  }
  return null
}

/** Nothing is verified; empty when the assertion is malformed. */
function unverified<Part extends object>(decode: (assertion: string) => Part) {
  return (assertion: string): Partial<Part> => {
    try {
      return decode(assertion)
    } catch {
      return {}
    }
  }
}

const readHeader = unverified(decodeProtectedHeader)
export const claimsOf = unverified(decodeJwt)

/** The first claim that is missing or wrong. No leeway after `exp`: until then an assertion is remembered. */
export function findWrong(claims: Claims, rules: Record<string, boolean>): string | null {
  const now = Date.now() / 1000
  const { exp, nbf = 0, iat = 0, jti } = claims
  const general = {
    exp: isNumber(exp) && exp > now && exp <= now + MAX_LIFETIME + LEEWAY,
    nbf: isNumber(nbf) && nbf <= now + LEEWAY,
    iat: isNumber(iat) && iat <= now + LEEWAY,
    jti: typeof jti === 'string' && jti !== '' && jti.length <= MAX_JTI_LENGTH,
  }
  const all = [...Object.entries(general), ...Object.entries(rules)]
  return all.find(([, isRight]) => !isRight)?.[0] ?? null
}

export const isNumber = (value: unknown): value is number => Number.isFinite(value)

function mayFit(key: JWK, kid: string | undefined, alg: string) {
  return (kid === undefined || key.kid === kid) && (key.alg === undefined || key.alg === alg)
}

/** A key that is malformed, too weak, or for another algorithm has signed nothing. */
async function isSignedBy(key: JWK, algorithm: string, assertion: string): Promise<boolean> {
  try {
    const { use, key_ops: operations, ...plain } = key
    await compactVerify(assertion, await importJWK(plain, algorithm), { algorithms: [algorithm] })
    return true
  } catch {
    return false
  }
}
