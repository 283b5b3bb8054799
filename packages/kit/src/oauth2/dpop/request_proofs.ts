import type { HttpContext } from '@adonisjs/core/http'

import type { DpopConfig } from '#oauth2/dpop/config'
import { NONCE_LIFETIME, createNonce, isNonce } from '#oauth2/dpop/nonces'
import { BadProof, type Proof, hashOf, readProof } from '#oauth2/dpop/proof'
import { isTarget } from '#oauth2/dpop/target'
import type { TokenStore } from '#oauth2/tokens/token_store'

/** Seconds by which the clock of a client may be off, and its request on the way. */
const WINDOW = 60

/** The proof lacks a nonce of this server. */
export class NonceMissing extends BadProof {}

/** The proofs of requests, each judged once (RFC 9449 §4.3). */
export class Proofs {
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

  /**
   * With a nonce of this server the time is that of the nonce, so the client's clock
   * does not count (RFC 9449 §11.1).
   *
   * @throws {BadProof} when a rule is broken
   */
  async #judge(ctx: HttpContext, token: string | null): Promise<Proof> {
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

/** The next nonce, also for clients in browsers. An answer with one is nobody else's (RFC 9449 §8.2). */
function sendNonce({ response }: HttpContext) {
  response.header('DPoP-Nonce', createNonce())
  response.header('Cache-Control', 'no-store')
  response.append('Access-Control-Expose-Headers', 'DPoP-Nonce')
}
