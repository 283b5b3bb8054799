import type { HttpContext } from '@adonisjs/core/http'

import type { TokenScheme } from '#auth/features'
import { type Refusal, badToken } from '#auth/refusal'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { DPOP_ALGORITHMS, type DpopConfig } from '#oauth2/dpop/config'
import { InvalidDpopProof, UseDpopNonce } from '#oauth2/dpop/errors'
import { NONCE_LIFETIME, createNonce, isNonce } from '#oauth2/dpop/nonces'
import { BadProof, type Proof, hashOf, readProof } from '#oauth2/dpop/proof'
import { isTarget } from '#oauth2/dpop/target'
import type { TokenStore } from '#oauth2/tokens/token_store'
import { hashSecret } from '#support/secrets'

/** Seconds by which the clock of a client may be off, and its request on the way. */
const WINDOW = 60

/** `Authorization: DPoP …` (RFC 9449 §7.1) */
const SCHEME = /^dpop +([A-Za-z0-9\-._~+/]+=*)$/i

/** What tokens are bound to. */
export interface Binding {
  /** Thumbprint of the key. */
  jkt: string
  /** Whether the refresh token is bound too: that of a client that proves itself by nothing else (RFC 9449 §5). */
  refresh: boolean
}

/** The proof lacks a nonce of this server. */
class NonceMissing extends BadProof {}

/** Tokens that are bound to a key of their client: DPoP (RFC 9449). */
export class Dpop implements TokenScheme {
  /** The error that a challenge tells, by the request that was refused. */
  readonly #failures = new WeakMap<HttpContext, 'invalid_dpop_proof' | 'use_dpop_nonce'>()
  /** A proof is used once in its request, however many guards look at it. */
  readonly #proven = new WeakMap<HttpContext, Promise<Proof>>()

  constructor(
    protected services: {
      config: {
        dpop: Required<DpopConfig>
        issuer: string | null
        resources: readonly string[]
      }
      tokens: TokenStore
    }
  ) {}

  get isEnabled(): boolean {
    return this.services.config.dpop.enabled
  }

  /** Algorithms of proofs; none while tokens cannot be bound. */
  get algorithms(): readonly string[] {
    return this.isEnabled ? DPOP_ALGORITHMS : []
  }

  /**
   * What a token request binds its tokens to; null when it has no proof.
   *
   * @param client null for tokens without a client
   * @throws {InvalidDpopProof | UseDpopNonce} when its proof is not valid
   */
  async bind({ ctx }: ClientRequest, client: Client | null): Promise<Binding | null> {
    const jkt = await this.keyOf(ctx)
    return jkt === null ? null : { jkt, refresh: !client?.confidential }
  }

  /**
   * The thumbprint of the key that a request of a client proves; null without a proof.
   *
   * @throws {InvalidDpopProof | UseDpopNonce} when the proof is not valid
   */
  async keyOf(ctx: HttpContext): Promise<string | null> {
    if (!this.isEnabled || ctx.request.header('dpop') === undefined) {
      return null
    }
    try {
      const { jkt } = await this.#prove(ctx, null)
      return jkt
    } catch (error) {
      if (!(error instanceof BadProof)) {
        throw error
      }
      const reason = reasonOf(error)
      throw error instanceof NonceMissing
        ? new UseDpopNonce({ reason })
        : new InvalidDpopProof({ reason })
    }
  }

  /** The access token of an `Authorization` header with the scheme; null for another header. */
  tokenIn(header: string): string | null {
    return SCHEME.exec(header)?.[1] ?? null
  }

  /**
   * Why an access token is refused that is bound, or that came with the scheme; null
   * when its proof is right (RFC 9449 §7). The key of a token counts also after the
   * setting has been turned off.
   *
   * @param jkt the key that the token is bound to
   */
  async judge(ctx: HttpContext, token: string, jkt: string | null): Promise<Refusal | null> {
    if (this.tokenIn(ctx.request.header('authorization') ?? '') === null) {
      return badToken('bound access token as a Bearer token')
    }
    if (jkt === null) {
      return badToken('access token of the DPoP scheme that is not bound')
    }
    try {
      const proof = await this.#prove(ctx, token)
      return proof.jkt === jkt ? null : badToken('DPoP proof of another key')
    } catch (error) {
      if (!(error instanceof BadProof)) {
        throw error
      }
      const code = error instanceof NonceMissing ? 'use_dpop_nonce' : 'invalid_dpop_proof'
      this.#failures.set(ctx, code)
      return badToken(reasonOf(error))
    }
  }

  /** The challenge of a refusal (RFC 9449 §7.1): in the scheme of the request, or in both where it had none. */
  challengeFor(ctx: HttpContext, bearer: string): string {
    if (!this.isEnabled) {
      return bearer
    }
    const algorithms = `algs="${DPOP_ALGORITHMS.join(' ')}"`
    if (!/^dpop\b/i.test(ctx.request.header('authorization') ?? '')) {
      return `${bearer}, DPoP ${algorithms}`
    }
    const failure = `error="${this.#failures.get(ctx) ?? 'invalid_token'}"`
    const parameters = bearer
      .slice('Bearer'.length)
      .trim()
      .replace('error="invalid_token"', failure)
    const told = /\berror=/.test(parameters) ? [parameters] : [failure, parameters]
    return `DPoP ${[...told, algorithms].filter(Boolean).join(', ')}`
  }

  #prove(ctx: HttpContext, token: string | null): Promise<Proof> {
    let proven = this.#proven.get(ctx)
    if (!proven) {
      proven = this.#judgeProof(ctx, token)
      this.#proven.set(ctx, proven)
    }
    return proven
  }

  /**
   * RFC 9449 §4.3. With a nonce of this server the time is that of the nonce, so the
   * client's clock does not count (§11.1).
   *
   * @throws {BadProof} when a rule is broken
   */
  async #judgeProof(ctx: HttpContext, token: string | null): Promise<Proof> {
    const { config, tokens } = this.services
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
    const proofHash = hashSecret(JSON.stringify([proof.jkt, proof.jti]))
    assertProof('used before', await tokens.proofs.use(proofHash, Math.ceil(expiresAt)))
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

function reasonOf({ message }: BadProof) {
  return `DPoP proof: ${message}`
}

/** The next nonce, also for clients in browsers. An answer with one is nobody else's (RFC 9449 §8.2). */
function sendNonce({ response }: HttpContext) {
  response.header('DPoP-Nonce', createNonce())
  response.header('Cache-Control', 'no-store')
  response.append('Access-Control-Expose-Headers', 'DPoP-Nonce')
}
