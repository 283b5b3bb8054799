import type { HttpContext } from '@adonisjs/core/http'

import { AuthError } from '#auth/errors'
import { type Refusal, badToken } from '#auth/refusal'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { BadProof, DPOP_ALGORITHMS, Proofs } from '#oauth2/dpop/proofs'

declare module '#auth/features' {
  interface AuthFeatures {
    /** A scheme of access tokens besides Bearer. */
    tokenScheme: Dpop
  }
}

/** `Authorization: DPoP …` (RFC 9449 §7.1) */
const SCHEME = /^dpop +([A-Za-z0-9\-._~+/]+=*)$/i

/** What tokens are bound to. */
export interface Binding {
  /** Thumbprint of the key. */
  jkt: string
  /** Whether the refresh token is bound too: that of a client without another proof (RFC 9449 §5). */
  refresh: boolean
}

/** Tokens that are bound to a key of their client: DPoP (RFC 9449). */
export class Dpop {
  /** The error that a challenge tells, by the request that was refused. */
  readonly #failures = new WeakMap<HttpContext, BadProof['code']>()
  readonly #proofs: Proofs

  constructor(protected server: Pick<AuthorizationServer, 'config' | 'tokens'>) {
    this.#proofs = new Proofs(server)
  }

  get isEnabled(): boolean {
    return this.server.config.dpop.enabled
  }

  /** Algorithms of proofs; none while tokens cannot be bound. */
  get algorithms(): readonly string[] {
    return this.isEnabled ? DPOP_ALGORITHMS : []
  }

  /** RFC 9449 §5.1 */
  metadata() {
    return this.isEnabled && { dpop_signing_alg_values_supported: DPOP_ALGORITHMS }
  }

  /** What a token request binds its tokens to; null without a proof. @throws {AuthError} */
  async bind({ ctx }: ClientRequest, client: Client | null): Promise<Binding | null> {
    const jkt = await this.keyOf(ctx)
    return jkt === null ? null : { jkt, refresh: !client?.confidential }
  }

  /** The thumbprint of the key that a request proves; null without a proof. @throws {AuthError} */
  async keyOf(ctx: HttpContext): Promise<string | null> {
    if (!this.isEnabled || ctx.request.header('dpop') === undefined) {
      return null
    }
    const proven = await this.#proofs.of(ctx, null)
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
    const proven = await this.#proofs.of(ctx, token)
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
}
