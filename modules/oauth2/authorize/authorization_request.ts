import type { HttpContext } from '@adonisjs/core/http'

import type { AuthContext } from '#auth/auth_context'
import type { Client } from '#oauth2/clients/client'
import { Parameters, readJsonObject } from '#oauth2/parameters'
import type { PkceChallenge } from '#oauth2/pkce'
import type { UserKey } from '#oauth2/tokens/token_store'

/** What a request is made of (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2). */
const PARAMETERS = [
  'response_type',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
]

/**
 * One authorization request (RFC 6749 §4.1.1). The checks fill in what they
 * have established, each relying on those before it.
 */
export class AuthorizationRequest {
  /** Who approves, by the check `user`. */
  context!: AuthContext
  user!: UserKey
  client!: Client
  /** As it was sent and found registered; null when it was not sent. */
  redirectUri: string | null = null
  /** Where a browser is sent, errors included; null until it is known to be good. */
  redirectTarget: string | null = null
  scopes: string[] = []
  challenge: PkceChallenge | null = null
  resource: string | null = null

  private constructor(
    readonly ctx: HttpContext,
    readonly parameters: Parameters,
    /** The decision of a POST; undefined when it is none. */
    readonly approved: boolean | undefined
  ) {}

  /** Whether this asks for a code, and not only what would be approved. */
  get asksForCode(): boolean {
    return this.ctx.request.method() === 'POST'
  }

  get state(): string | null {
    return this.parameters.get('state')
  }

  /** Address of the same request as a GET. */
  get location(): string {
    const query = PARAMETERS.flatMap((name) => {
      const value = this.parameters.get(name)
      return value === null ? [] : `${name}=${encodeURIComponent(value)}`
    })
    return `${this.ctx.request.url()}?${query.join('&')}`
  }

  static fromQuery(ctx: HttpContext): AuthorizationRequest {
    return new AuthorizationRequest(ctx, Parameters.fromQuery(ctx.request), undefined)
  }

  /** Only the boolean `true` approves. */
  static fromJson(ctx: HttpContext): AuthorizationRequest {
    const body = readJsonObject(ctx.request)
    const approved = typeof body.approved === 'boolean' ? body.approved : undefined
    return new AuthorizationRequest(ctx, Parameters.fromJson(body, ['approved']), approved)
  }

  /** The consent page's form, whose buttons send `true` or `false`. */
  static fromForm(ctx: HttpContext): AuthorizationRequest {
    const parameters = Parameters.fromForm(ctx.request)
    const decisions: Record<string, boolean> = { true: true, false: false }
    return new AuthorizationRequest(ctx, parameters, decisions[parameters.get('approved') ?? ''])
  }
}
