import type { HttpContext } from '@adonisjs/core/http'
import { hash } from 'node:crypto'
import encryption from '@adonisjs/core/services/encryption'
import { type JWK, EmbeddedJWK, calculateJwkThumbprint, compactVerify, decodeJwt } from 'jose'

import { AuthError } from '#auth/errors'
import { type Refusal, badToken } from '#auth/outcome'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import { hasPrivateMembers, isNumber } from '#oauth2/clients/assertions'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { resourceOf } from '#auth/challenge'
import { assertOr } from '#process/assert_or'

/** Signature algorithms of proofs: asymmetric ones alone (RFC 9449 §4.2). */
const DPOP_ALGORITHMS = ['ES256', 'ES384', 'EdDSA', 'Ed25519', 'PS256', 'RS256']

/** Characters; longer than any proof with an RSA key. */
const MAX_LENGTH = 8192

/** A proof is refused for a reason that operators may know. */
class BadProof extends Error {
  constructor(
    message: string,
    /** RFC 9449 §5, and §8: the answer has a fresh nonce. */
    readonly code: 'invalid_dpop_proof' | 'use_dpop_nonce' = 'invalid_dpop_proof'
  ) {
    super(message)
  }

  get reason() {
    return `DPoP proof: ${this.message}`
  }
}

function assertProof(problem: string, isRight: boolean): asserts isRight {
  assertOr(isRight, BadProof, problem)
}

/** Reads a proof, verified by its own key (RFC 9449 §4.3, 2 to 7). @throws {BadProof} */
export async function readProof(text: string) {
  assertProof('too long', text.length <= MAX_LENGTH)
  const { header, claims } = await verify(text)
  const jwk = header.jwk as JWK
  assertProof('typ is not dpop+jwt', header.typ === 'dpop+jwt')
  assertProof('private key or crit in it', !hasPrivateMembers(jwk) && header.crit === undefined)
  const { jti, iat, exp, nbf, htm, htu, ath, nonce } = claims
  const isNamed = typeof jti === 'string' && jti !== ''
  assertProof('jti or iat missing', isNamed && typeof iat === 'number')
  return { jkt: await calculateJwkThumbprint(jwk), jti, iat, exp, nbf, htm, htu, ath, nonce }
}

async function verify(text: string) {
  try {
    const options = { algorithms: DPOP_ALGORITHMS }
    const { protectedHeader: header } = await compactVerify(text, EmbeddedJWK, options)
    return { header, claims: decodeJwt(text) }
  } catch {
    /* Not a signed JWT with a key that is public and of an accepted algorithm. */
    throw new BadProof('malformed, or signature wrong')
  }
}

/** Seconds in which a nonce is accepted. */
const NONCE_LIFETIME = 300

/** Seconds by which the clock of a client may be off, and its request on the way. */
const WINDOW = 60

const PURPOSE = 'dpop nonce'

/** Whether a nonce was made here, a short time ago: no process keeps any. */
function isNonce(nonce: unknown): boolean {
  const createdAt = typeof nonce === 'string' ? encryption.decrypt<number>(nonce, PURPOSE) : null
  return createdAt !== null && Date.now() - createdAt < NONCE_LIFETIME * 1000
}

type Names = Pick<AuthorizationServer['config'], 'issuer' | 'resources'>

/**
 * Whether an `htu` is the address of a request, without query and fragment (RFC 9449 §4.3, 9). A
 * server with an issuer goes by its configured names: a `Host` header is anybody's.
 */
function isTarget(htu: unknown, ctx: HttpContext, names: Names): boolean {
  const named = typeof htu === 'string' ? URL.parse(htu) : null
  const path = ctx.request.request.url!.split('?')[0]!
  return basesOf(ctx, names).some((base) => {
    const target = URL.parse(base + path)
    const isSamePath = named && target && normalize(target.pathname) === normalize(named.pathname)
    return isSamePath && target.origin === named.origin
  })
}

/** Libraries differ in what they encode, so encodings are compared by their meaning (RFC 3986 §6.2.2). */
function normalize(path: string): string {
  return path.replace(/%[0-9A-Fa-f]{2}/g, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[A-Za-z0-9\-._~]/.test(character) ? character : encoded.toUpperCase()
  })
}

function basesOf({ request, route }: HttpContext, { issuer, resources }: Names): string[] {
  if (issuer === null) {
    return [`${request.protocol()}://${request.host()}`]
  }
  const bound = resourceOf(route)?.url ?? issuer
  const known = [issuer, ...resources, bound]
  /* A proxy may have taken the path of the issuer away. */
  return [issuer, ...known.map((url) => new URL(url).origin)]
}

/** `Authorization: DPoP …` (RFC 9449 §7.1) */
const SCHEME = /^dpop +([A-Za-z0-9\-._~+/]+=*)$/i

export interface Binding {
  jkt: string
  /** Whether the refresh token is bound too: that of a client without another proof (RFC 9449 §5). */
  refresh: boolean
}

/** Tokens that are bound to a key of their client: DPoP (RFC 9449). */
export class Dpop {
  /** The error that a challenge tells, by the request that was refused. */
  readonly #failures = new WeakMap<HttpContext, BadProof['code']>()
  readonly #proven = new WeakMap<HttpContext, Promise<string | BadProof>>()

  constructor(protected server: Pick<AuthorizationServer, 'config' | 'tokens'>) {}

  get isEnabled(): boolean {
    return this.server.config.dpop.enabled
  }

  /** Algorithms of proofs; none while tokens cannot be bound. */
  get algorithms(): readonly string[] {
    return this.isEnabled ? DPOP_ALGORITHMS : []
  }

  /** What a token request binds its tokens to; null without a proof. @throws {AuthError} */
  async bind({ ctx }: ClientRequest, client: Client | null): Promise<Binding | null> {
    const jkt = await this.keyOf(ctx)
    return jkt === null ? null : { jkt, refresh: !client?.confidential }
  }

  /** The thumbprint of the key that a request proves; null without the header. @throws {AuthError} */
  async keyOf(ctx: HttpContext): Promise<string | null> {
    if (!this.isEnabled || ctx.request.headers().dpop === undefined) {
      return null
    }
    const proven = await this.#prove(ctx, null)
    if (proven instanceof BadProof) {
      throw new AuthError(proven.code, undefined, { reason: proven.reason })
    }
    return proven
  }

  /** The access token of an `Authorization` header with the scheme; null for another header. */
  tokenIn(header: string): string | null {
    return SCHEME.exec(header)?.[1] ?? null
  }

  /**
   * Why an access token is refused that is bound, or that came with the scheme; null when its proof
   * is right (RFC 9449 §7). The key of a token counts also after the setting has been turned off.
   */
  async judge(ctx: HttpContext, token: string, jkt: string | null): Promise<Refusal | null> {
    if (this.tokenIn(ctx.request.header('authorization') ?? '') === null) {
      return badToken('bound access token as a Bearer token')
    }
    if (jkt === null) {
      return badToken('access token of the DPoP scheme that is not bound')
    }
    const proven = await this.#prove(ctx, token)
    if (proven instanceof BadProof) {
      this.#failures.set(ctx, proven.code)
      return badToken(proven.reason)
    }
    return proven === jkt ? null : badToken('DPoP proof of another key')
  }

  /** The challenge of a refusal (RFC 9449 §7.1): in the scheme of the request, or in both. */
  challengeFor(ctx: HttpContext, bearer: string): string {
    if (!this.isEnabled) {
      return bearer
    }
    const algorithms = `algs="${DPOP_ALGORITHMS.join(' ')}"`
    if (!/^dpop\b/i.test(ctx.request.header('authorization') ?? '')) {
      return `${bearer}, DPoP ${algorithms}`
    }
    const failure = `error="${this.#failures.get(ctx) ?? 'invalid_token'}"`
    const told = bearer.slice('Bearer'.length).trim().replace('error="invalid_token"', failure)
    const parameters = /\berror=/.test(told) ? [told] : [failure, told]
    return `DPoP ${[...parameters, algorithms].filter(Boolean).join(', ')}`
  }

  /**
   * The thumbprint of the key of a request's proof (RFC 7638), or the rule that it breaks: judged once
   * (RFC 9449 §4.3), however many guards look at it.
   * @param token the access token that it must be for; null at an endpoint
   */
  #prove(ctx: HttpContext, token: string | null): Promise<string | BadProof> {
    const told = (error: unknown) => (error instanceof BadProof ? error : Promise.reject(error))
    const proven = this.#proven.get(ctx) ?? this.#judgeProof(ctx, token).catch(told)
    this.#proven.set(ctx, proven)
    return proven
  }

  /** With a nonce of this server its time counts, and not the client's clock (RFC 9449 §11.1). */
  async #judgeProof(ctx: HttpContext, token: string | null): Promise<string> {
    const { config, tokens } = this.server
    const { request, response } = ctx
    const needsNonce = config.dpop.nonce
    if (needsNonce) {
      /* The next nonce, also for clients in browsers; no cache keeps such answers (RFC 9449 §8.2). */
      response.header('DPoP-Nonce', encryption.encrypt(Date.now(), { purpose: PURPOSE }))
      response.append('Access-Control-Expose-Headers', 'DPoP-Nonce')
    }
    const { jkt, jti, iat, exp, nbf, ...proof } = await readProof(request.header('dpop') ?? '')
    assertProof('htm of another method', proof.htm === request.request.method)
    assertProof('htu of another address', isTarget(proof.htu, ctx, config))
    /* What a proof for a resource says about the access token (RFC 9449 §4.2). */
    const ath = token && hash('sha256', token, 'base64url')
    assertProof('ath of another token', ath === null || proof.ath === ath)
    const isFresh = !needsNonce || isNonce(proof.nonce)
    assertOr(isFresh, BadProof, 'nonce missing, old or not of this server', 'use_dpop_nonce')
    const now = Date.now()
    const isRecent = Math.abs(now - iat * 1000) < WINDOW * 1000
    assertProof('iat too old or too new', needsNonce || isRecent)
    /* A JWT that has them says itself when it is good (RFC 7519 §4.1.4, §4.1.5). */
    assertProof('expired', exp === undefined || (isNumber(exp) && exp * 1000 > now))
    const isBegun = nbf === undefined || (isNumber(nbf) && nbf * 1000 <= now + WINDOW * 1000)
    assertProof('not valid yet', isBegun)

    const expiresAt = needsNonce ? now + NONCE_LIFETIME * 1000 : (iat + WINDOW) * 1000
    assertProof('used before', await tokens.used.use('dpop_proof', `${jkt} ${jti}`, expiresAt))
    return jkt
  }
}
