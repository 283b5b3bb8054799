import type { HttpContext } from '@adonisjs/core/http'

import { assertArgument } from '#config/checks'
import type { GuardName } from '#auth/guard_types'
import type { AuthManager } from '#auth/manager'
import { Refusal, reportRefusal } from '#auth/outcome'

/** How a client gets its `client_id` without an operator. */
export interface ClientAdmission {
  /** By a metadata document at the URL that is its id. */
  documents: boolean
  /** By registering itself (RFC 7591). */
  registration: boolean
  /** What to do for other clients, as the rest of a sentence. */
  otherwise: string
}

/** The authorization server of the application: the one of this package, or Sésame. */
export interface TokenServer {
  readonly driver: 'oauth2' | 'sesame'
  readonly issuer: string | null
  /** How clients connect that no operator registered. */
  readonly admission: ClientAdmission
  /** Of DPoP proofs (RFC 9449); none while tokens cannot be bound to a key. */
  readonly proofAlgorithms: readonly string[]
  /** Whether it has a metadata document of a resource without a path (RFC 9728, section 3.1). */
  readonly describesRoot: boolean
  /** Accepts these URLs as resources of tokens. `scopesOf` gives the scopes of a request without any. */
  serve(urls: () => readonly string[], scopesOf?: (url: string) => Promise<readonly string[]>): void
}

/** Lets other features protect endpoints with access tokens that are bound to the endpoint's URL. */
export class ProtectedResources {
  constructor(
    protected manager: AuthManager,
    readonly server: TokenServer
  ) {}

  /** Whether one of the guards recognises access tokens that are bound to no other resource. */
  acceptsTokens(guards: readonly string[]): boolean {
    const own = guards.filter((name) => this.#isOfServer(name))
    return own.some((name) => !this.manager.config.guards[name]!.audience)
  }

  /**
   * Authenticates a request by an access token that is bound to the URL, or else by one of the
   * guards; `ctx.authenticator` has the outcome. Operators hear why a token is not accepted.
   * @returns `absent` when the request has no token, `invalid` when it has one that is not accepted
   * @throws {InvalidArgumentsException} for a session guard: a cookie must not open such an endpoint
   */
  async authenticate(ctx: HttpContext, url: string, guards: readonly string[]) {
    const session = guards.find((guard) => this.manager.guardDriver(guard) === 'session')
    const unsafe = `The guard "${session}" cannot protect an endpoint that checks no CSRF token`
    assertArgument(session === undefined, unsafe)
    const names = [this.#guardOf(url), ...guards] as GuardName[]
    ctx.authenticator.setDefaultGuard(names[0]!)
    const outcome = await ctx.authenticator.resolveUsing(names)
    if (!(outcome instanceof Refusal) || outcome.absent) {
      return outcome instanceof Refusal ? 'absent' : 'authenticated'
    }
    await reportRefusal(outcome.toError(), ctx)
    return 'invalid'
  }

  /** The guard for tokens of one URL, with the users of the configured guard of its server. */
  #guardOf(url: string): string {
    const name = `${this.server.driver} ${url}`
    if (!this.manager.hasGuard(name)) {
      const configured = this.manager.guardNames.find((guard) => this.#isOfServer(guard))
      const users = this.manager.usersOf(configured)
      const spec = { provider: users.name, audience: url }
      const driver = this.manager.driver(this.server.driver, `The endpoint "${url}"`)
      this.manager.addGuard(name, driver.create({ name, spec, users }))
    }
    return name
  }

  #isOfServer(guard: string) {
    return this.manager.guardDriver(guard) === this.server.driver
  }
}
