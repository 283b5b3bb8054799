import type { HttpContext } from '@adonisjs/core/http'

import { assertArgument } from '#config/checks'
import type { GuardName } from '#auth/guard_types'
import type { AuthManager } from '#auth/manager'
import { Refusal, reportRefusal } from '#auth/refusal'
import type { AuthorizationServer } from '#oauth2/authorization_server'

declare module '#auth/features' {
  interface AuthFeatures {
    /** Endpoints that accept access tokens bound to their own URL (RFC 8707). */
    protectedResources: ProtectedResources
  }
}

/** Lets other features protect endpoints with access tokens that are bound to the endpoint's URL. */
export class ProtectedResources {
  readonly #guards = new Set<string>()

  constructor(
    protected manager: AuthManager,
    protected server: AuthorizationServer
  ) {}

  /** The configured issuer; null without one. */
  get issuer(): string | null {
    return this.server.config.issuer
  }

  /** How clients that nobody has registered get in: by metadata documents, by registering themselves. */
  get admission(): { documents: boolean; registration: boolean } {
    const { clientDocuments, dynamicRegistration } = this.server.config
    return { documents: clientDocuments.enabled, registration: dynamicRegistration }
  }

  /** Algorithms of DPoP proofs (RFC 9449); none while tokens cannot be bound to a key. */
  get proofAlgorithms(): readonly string[] {
    return this.server.dpop.algorithms
  }

  /** Whether one of the guards recognises access tokens that are bound to no other resource. */
  acceptsTokens(guards: readonly string[]): boolean {
    return guards.some(
      (name) =>
        this.manager.guardDriver(name) === 'oauth2' && !this.manager.config.guards[name]!.audience
    )
  }

  /**
   * Lets tokens be bound to these URLs.
   *
   * @param scopesOf the scopes of an authorization request for one of them that names none
   */
  serve(
    urls: () => readonly string[],
    scopesOf?: (url: string) => Promise<readonly string[]>
  ): void {
    this.server.config.served.add(urls, scopesOf)
  }

  /**
   * Authenticates a request by an access token that is bound to the URL, or else by one of the
   * guards; `ctx.authenticator` has the outcome, and asks no cookie afterwards. Why a token is not accepted
   * is reported to operators.
   *
   * @returns `absent` when the request has no token, `invalid` when it has one that is not accepted
   * @throws {InvalidArgumentsException} for a session guard: a cookie must not open such an endpoint
   */
  async authenticate(
    ctx: HttpContext,
    url: string,
    guards: readonly string[]
  ): Promise<'authenticated' | 'absent' | 'invalid'> {
    this.#assertNoCookies(guards)
    const names = [this.#guardOf(url), ...guards] as GuardName[]
    ctx.authenticator.setDefaultGuard(names[0]!)
    const outcome = await ctx.authenticator.resolveUsing(names)
    if (!(outcome instanceof Refusal)) {
      return 'authenticated'
    }
    if (outcome.absent) {
      return 'absent'
    }
    await reportRefusal(outcome.toError(), ctx)
    return 'invalid'
  }

  /** The guard for tokens of one URL, with the users of the OAuth guard in the config. */
  #guardOf(url: string): string {
    const name = `oauth2 ${url}`
    if (!this.#guards.has(url)) {
      const configured = this.manager.guardNames.find(
        (guard) => this.manager.guardDriver(guard) === 'oauth2'
      )
      const users = this.manager.usersOf(configured)
      const spec = { provider: users.name, audience: url }
      const driver = this.manager.driver('oauth2', `The endpoint "${url}"`)
      this.manager.addGuard(name, driver.create({ name, spec, users }))
      this.#guards.add(url)
    }
    return name
  }

  #assertNoCookies(guards: readonly string[]): void {
    const session = guards.find((guard) => this.manager.guardDriver(guard) === 'session')
    assertArgument(
      session === undefined,
      `The guard "${session}" cannot protect an endpoint that checks no CSRF token`
    )
  }
}
