import type { HttpContext } from '@adonisjs/core/http'

import type { GuardName } from '#auth/authenticators'
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
  'prompt',
]

/** What a client wants the person to be asked, or not to be (OpenID Connect Core 1.0 §3.1.2.1). */
export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const

export type Prompt = (typeof PROMPTS)[number]

/**
 * One authorization request (RFC 6749 §4.1.1). The checks fill in what they
 * have established, each relying on those before it.
 */
export class AuthorizationRequest {
  /** The guard that knows who approves, by the check `user`. */
  guardName!: GuardName
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
  prompt: ReadonlySet<Prompt> = new Set()
  /** Whether its approval has made a grant: the client can act for the user from now on. By the code issuer. */
  isNewConnection = false

  private constructor(
    readonly ctx: HttpContext,
    readonly parameters: Parameters,
    /** The decision of a JSON POST; undefined when it is none. */
    readonly approved: boolean | undefined
  ) {}

  /** Whether this asks for a code, and not only what would be approved. */
  get asksForCode(): boolean {
    return this.ctx.request.method() === 'POST'
  }

  get state(): string | null {
    return this.parameters.get('state')
  }

  /** What it is made of, by name. */
  get fields(): Record<string, string> {
    return Object.fromEntries(
      PARAMETERS.flatMap((name) => {
        const value = this.parameters.get(name)
        return value === null ? [] : [[name, value]]
      })
    )
  }

  /** Address of the same request, for a person who is about to sign in: so it does not ask to sign in. */
  get locationAfterSignIn(): string {
    const { prompt = '', ...others } = this.fields
    const left = prompt.split(' ').filter((value) => value !== 'login')
    const fields = Object.entries({ ...others, ...(left.join('') && { prompt: left.join(' ') }) })
    const query = fields.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    const path = this.ctx.request.url().replace(/\/oauth\/.*$/, '/oauth/authorize')
    return `${path}?${query.join('&')}`
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

  /** A request that was kept until its decision, which is what `ctx` is about. */
  static fromFields(ctx: HttpContext, fields: Record<string, string>): AuthorizationRequest {
    return new AuthorizationRequest(ctx, Parameters.fromJson(fields, []), undefined)
  }
}
