import type { HttpContext } from '@adonisjs/core/http'

import type { Owner } from '#auth/users'
import type { GuardName } from '#auth/guard_types'
import type { AuthContext } from '#auth/outcome'
import type { Client } from '#oauth2/clients/client'
import { extendRedirectUri } from '#oauth2/clients/client_urls'
import type { ConsentEvent } from '#oauth2/events'
import { Parameters } from '#oauth2/parameters'
import type { PkceChallenge } from '#oauth2/pkce'

/** Parameters of a request (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2). */
const PARAMETERS = [
  ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'scope', 'state'],
  ...['code_challenge', 'code_challenge_method', 'resource', 'dpop_jkt', 'prompt'],
]

/** What a client wants the person to be asked, or not to be (OpenID Connect Core 1.0 §3.1.2.1). */
export const PROMPTS = ['none', 'login', 'consent', 'select_account'] as const

/** An authorization request (RFC 6749 §4.1.1). Checks fill in what they establish. */
export class AuthorizationRequest {
  guardName!: GuardName
  context!: AuthContext
  user!: Owner
  client!: Client
  /** The sent redirect URI, once verified; null when none was sent. */
  redirectUri: string | null = null
  /** Where a browser is redirected, even for errors; null until verified. */
  redirectTarget: string | null = null
  scopes: string[] = []
  challenge!: PkceChallenge
  resource: string | null = null
  /** Thumbprint of the key that the redemption of the code has to prove (RFC 9449 §10); null for none. */
  dpopJkt: string | null = null
  prompt: ReadonlySet<(typeof PROMPTS)[number]> = new Set()
  /** Whether its approval created a grant. Set by the code issuer. */
  isNewConnection = false
  /** The reference under which its client has pushed it (RFC 9126); null when the browser brought it. */
  requestUri: string | null = null
  /** When its client pushed it, in epoch milliseconds: a reference that replaces another expires with it. */
  pushedAt: number | null = null
  /** Whether the sign-in is too old for the client, or of another person than it expects. */
  wantsAnotherSignIn = false
  #names: readonly string[] = PARAMETERS

  constructor(
    readonly ctx: HttpContext,
    readonly parameters: Parameters,
    /** The decision of a JSON POST: only the boolean `true` approves. */
    readonly approved?: unknown,
    /** Whether its client pushes it, before any browser comes (RFC 9126 §2.1). */
    readonly isPush = false
  ) {}

  get state(): string | null {
    return this.parameters.get('state')
  }

  get requiresLogin(): boolean {
    return this.wantsAnotherSignIn || this.prompt.has('login')
  }

  /** Adds parameters that stay with the request when it is stored or repeated. */
  keep(names: readonly string[]): void {
    this.#names = [...new Set([...this.#names, ...names])]
  }

  get consentEvent(): ConsentEvent {
    const { client, user, scopes, resource } = this
    return { clientId: client.id, userId: user.userId, scopes, resource }
  }

  /** Its parameters by name, and its reference. */
  get fields(): Record<string, string> {
    const { requestUri, dpopJkt } = this
    return {
      ...this.parameters.pick(this.#names),
      ...(requestUri !== null && { request_uri: requestUri }),
      ...(dpopJkt !== null && { dpop_jkt: dpopJkt }),
    }
  }

  /** Its parameters after a sign-in or the choice of an account, without those that ask for it. */
  fieldsAfter(done: 'login' | 'select_account'): Record<string, string> {
    const { prompt = '', ...fields } = this.parameters.pick(this.#names)
    const left = prompt.split(' ').filter((value) => value !== done)
    if (done === 'login') {
      delete fields.max_age
    }
    return { ...fields, ...(left.join('') && { prompt: left.join(' ') }) }
  }

  locationOf(fields: Record<string, string>): string {
    const path = this.ctx.request.url().replace(/\/oauth\/.*$/, '/oauth/authorize')
    return extendRedirectUri(path, fields)
  }

  /** A stored or pushed request; `ctx` is the current HTTP request. */
  static fromFields(
    ctx: HttpContext,
    { request_uri: requestUri = null, ...fields }: Record<string, string | null>,
    approved?: unknown
  ): AuthorizationRequest {
    const request = new AuthorizationRequest(ctx, Parameters.fromJson(fields), approved)
    request.keep(Object.keys(fields))
    request.requestUri = requestUri
    return request
  }
}
