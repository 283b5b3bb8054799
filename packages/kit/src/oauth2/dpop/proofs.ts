import { createHash } from 'node:crypto'
import { type JWK, EmbeddedJWK, calculateJwkThumbprint, compactVerify } from 'jose'
import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'

import type { AuthorizationServer } from '#oauth2/authorization_server'
import { DPOP_ALGORITHMS } from '#oauth2/dpop/config'
import { resourceOf } from '#auth/challenge'
import { hasPrivateMembers } from '#oauth2/clients/assertions/public_keys'
import { isObject } from '#process/objects'

/** Longer than any proof with an RSA key. */
const MAX_LENGTH = 8192

/** A proof whose signature is right (RFC 9449 §4.2). Its claims are the reader's to judge. */
export interface Proof {
  /** SHA-256 thumbprint of its key (RFC 7638). */
  jkt: string
  jti: string
  htm: unknown
  htu: unknown
  /** Epoch seconds. */
  iat: number
  ath: unknown
  nonce: unknown
}

/** A proof is refused for a reason that operators may know. */
export class BadProof extends Error {}

/**
 * Reads a proof and verifies its signature by its own key (RFC 9449 §4.3, 2 to 7).
 *
 * @throws {BadProof} when it is not well-formed, or its signature is wrong
 */
export async function readProof(text: string): Promise<Proof> {
  if (text.length > MAX_LENGTH) {
    throw new BadProof('too long')
  }
  const { header, claims } = await verify(text)
  const jwk = header.jwk as JWK
  if (header.typ !== 'dpop+jwt') {
    throw new BadProof('typ is not dpop+jwt')
  }
  if (hasPrivateMembers(jwk)) {
    throw new BadProof('private key in it')
  }
  const { jti, htm, htu, iat, ath, nonce } = claims
  if (typeof jti !== 'string' || jti === '' || typeof iat !== 'number') {
    throw new BadProof('jti or iat missing')
  }
  return { jkt: await calculateJwkThumbprint(jwk), jti, htm, htu, iat, ath, nonce }
}

async function verify(text: string) {
  try {
    const { protectedHeader: header, payload } = await compactVerify(text, EmbeddedJWK, {
      algorithms: DPOP_ALGORITHMS,
    })
    const claims: unknown = JSON.parse(Buffer.from(payload).toString())
    if (isObject(claims)) {
      return { header, claims }
    }
  } catch {
    /* Not a signed JWT with a key that is public and of an accepted algorithm. */
  }
  throw new BadProof('malformed, or signature wrong')
}

/** What a proof for a resource says about the access token (RFC 9449 §4.2). */
export function hashOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest('base64url')
}

/** Seconds in which a nonce is accepted. */
export const NONCE_LIFETIME = 300

const PURPOSE = 'dpop nonce'

/** A nonce for the proofs of clients (RFC 9449 §8). Every process that has the application's key accepts it, and none keeps it. */
export function createNonce(): string {
  return encryption.encrypt(Date.now(), { purpose: PURPOSE })
}

/** Whether a nonce was made here, a short time ago. */
export function isNonce(nonce: unknown): boolean {
  const createdAt = typeof nonce === 'string' ? encryption.decrypt<number>(nonce, PURPOSE) : null
  return createdAt !== null && Date.now() - createdAt < NONCE_LIFETIME * 1000
}

/** By which names this server is known. */
interface Names {
  issuer: string | null
  resources: readonly string[]
}

/**
 * Whether an `htu` is the address of a request, without query and fragment
 * (RFC 9449 §4.3, 9). A server with an issuer goes by its configured names: a
 * `Host` header is anybody's, and a proof for another server must not pass here.
 */
export function isTarget(htu: unknown, ctx: HttpContext, names: Names): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) {
    return false
  }
  const { request } = ctx
  const path = request.request.url!.split('?')[0]!
  const { origin, pathname } = new URL(htu)
  return basesOf(ctx, names).some((base) => {
    const target = URL.parse(base + path)
    return target !== null && target.origin === origin && target.pathname === pathname
  })
}

function basesOf({ request, route }: HttpContext, { issuer, resources }: Names): string[] {
  if (issuer === null) {
    return [`${request.protocol()}://${request.host()}`]
  }
  const bound = resourceOf(route)?.url
  const origins = [issuer, ...resources, ...(bound ? [bound] : [])].map(
    (url) => new URL(url).origin
  )
  /* A proxy may have taken the path of the issuer away. */
  return [issuer, ...origins]
}

/** Seconds by which the clock of a client may be off, and its request on the way. */
const WINDOW = 60

/** The proof lacks a nonce of this server. */
export class NonceMissing extends BadProof {}

/** The proofs of requests, each judged once (RFC 9449 §4.3). */
export class Proofs {
  /** A proof is used once in its request, however many guards look at it, and however long it takes. */
  readonly #proven = new WeakMap<HttpContext, Promise<Proof>>()

  constructor(protected server: Pick<AuthorizationServer, 'config' | 'tokens'>) {}

  /**
   * The proof of a request.
   *
   * @param token the access token that it has to be for; null at an endpoint
   * @throws {BadProof} when it breaks a rule
   */
  of(ctx: HttpContext, token: string | null): Promise<Proof> {
    let proven = this.#proven.get(ctx)
    if (!proven) {
      proven = this.#judge(ctx, token)
      this.#proven.set(ctx, proven)
    }
    return proven
  }

  /** With a nonce of this server its time counts, and not that of the client's clock (RFC 9449 §11.1). */
  async #judge(ctx: HttpContext, token: string | null): Promise<Proof> {
    const { config, tokens } = this.server
    const { request } = ctx
    const needsNonce = config.dpop.nonce
    if (needsNonce) {
      sendNonce(ctx)
    }
    const proof = await readProof(request.header('dpop') ?? '')
    assertProof('htm of another method', proof.htm === request.request.method)
    assertProof('htu of another address', isTarget(proof.htu, ctx, config))
    assertProof('ath of another token', token === null || proof.ath === hashOf(token))
    if (needsNonce && !isNonce(proof.nonce)) {
      throw new NonceMissing('nonce missing, old or not of this server')
    }
    const now = Date.now()
    assertProof('iat too old or too new', needsNonce || isRecent(proof.iat, now))

    const expiresAt = needsNonce ? now + NONCE_LIFETIME * 1000 : (proof.iat + WINDOW) * 1000
    const value = `${proof.jkt} ${proof.jti}`
    assertProof('used before', await tokens.used.use('dpop_proof', value, expiresAt))
    return proof
  }
}

function isRecent(iat: number, now: number) {
  return Math.abs(now - iat * 1000) < WINDOW * 1000
}

function assertProof(problem: string, isRight: boolean) {
  if (!isRight) {
    throw new BadProof(problem)
  }
}

/** The next nonce, also for clients in browsers. Caches keep no answer to a token or of the server (RFC 9449 §8.2). */
function sendNonce({ response }: HttpContext) {
  response.header('DPoP-Nonce', createNonce())
  response.append('Access-Control-Expose-Headers', 'DPoP-Nonce')
}
