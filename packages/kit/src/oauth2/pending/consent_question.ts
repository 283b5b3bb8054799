import { AccessDenied, InvalidRequest, LoginRequired, UnknownAuthorization } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import type { Decision } from '#oauth2/authorize/authorization'
import { destinationOf, extendRedirectUri } from '#oauth2/clients/redirect_uri'
import { reportOAuthRefusal } from '#oauth2/protocol_error'
import { assertSubset } from '#oauth2/scopes'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'
import { isObject } from '#process/objects'
import { toSeconds } from '#database/expiry'
import { hashSecret } from '#security/secrets'

/** Characters of a context as JSON. */
const MAX_CONTEXT = 4096

/** A checked authorization request that waits for the decision of its user. It is decided once. */
export class ConsentQuestion {
  constructor(
    /** Secret that leads to the request; only its user's session can use it. */
    readonly handle: string,
    readonly request: AuthorizationRequest,
    /** Epoch milliseconds. */
    protected expiresAt: number,
    /** What the user has allowed the client for the resource before. */
    protected grants: readonly GrantRecord[],
    protected server: AuthorizationServer
  ) {}

  /** Whether the client wants the person to choose an account before anything else. */
  get selectsAccount(): boolean {
    return this.server.openid !== null && this.request.prompt.has('select_account')
  }

  /** What a consent page has to say. Times are epoch seconds. */
  describe() {
    const { client, user, scopes, resource, redirectTarget, requiresLogin } = this.request
    const { catalogue, openid } = this.server
    const granted = new Set(this.grants.flatMap((grant) => grant.scopes))
    const others = [...granted].filter((scope) => !scopes.includes(scope))
    const destination = destinationOf(redirectTarget!)
    return {
      client_id: client.id,
      client_name: client.name,
      client_host: client.host,
      redirect_uri: redirectTarget!,
      redirect_host: destination.host,
      redirect_kind: destination.kind,
      user_id: user.userId,
      resource,
      scopes: catalogue.describe(scopes).map((scope) => ({
        ...scope,
        granted: granted.has(scope.name),
        writes: catalogue.writes(scope.name),
      })),
      other_granted_scopes: catalogue.describe(others),
      requires_login: requiresLogin,
      ...(openid && { selects_account: this.selectsAccount }),
      expires_at: toSeconds(this.expiresAt),
    }
  }

  /** What the person can choose to allow it for; null for nothing. */
  choices() {
    const { ctx, user } = this.request
    return this.server.contexts.question(ctx, user, this.grants)
  }

  /**
   * Allows the request, or a part of its scopes.
   *
   * @returns where the browser has to go
   * @throws {InvalidScope | InvalidRequest} for scopes or a context that cannot be
   * @throws {AccessDenied} when the approving token is bound to another context
   * @throws {LoginRequired} when the person has to sign in again first
   * @throws {UnknownAuthorization} when it was decided by another request
   */
  async approve(decision: Decision = {}): Promise<string> {
    if (this.request.requiresLogin) {
      throw new LoginRequired('The user is required to sign in again.')
    }
    assertSubset(decision.scopes, this.request.scopes)
    assertContext(decision.context)
    const { user, context, redirectTarget } = this.request
    await this.server.contexts.read(user, context, decision)
    await this.#take()
    const response = await this.server.authorization.approve(this.request, decision)
    return extendRedirectUri(redirectTarget!, response)
  }

  /** @returns where the browser has to go */
  async deny(): Promise<string> {
    await this.#take()
    this.server.announce('oauth2:consent_denied', this.request.consentEvent)
    const denied = new AccessDenied('The user denied the request.')
    await reportOAuthRefusal(denied, this.request.ctx)
    return this.server.authorization.errorLocation(this.request, denied)!
  }

  /** Gives the request up. @returns its address after a sign-in, or the choice of an account */
  async abandon(after: 'login' | 'select_account'): Promise<string> {
    await this.#take()
    return this.server.pushed.locationOf(this.request, this.request.fieldsAfter(after))
  }

  /** @throws {UnknownAuthorization} when it was decided by another request */
  async #take() {
    if (!(await this.server.tokens.pending.take(hashSecret(this.handle)))) {
      throw new UnknownAuthorization(undefined, { reason: 'decided by another request' })
    }
  }
}

/** @throws {InvalidRequest} for a context that is no JSON object or too long */
function assertContext(context: unknown) {
  if (context === undefined || context === null) {
    return
  }
  if (!isObject(context)) {
    throw new InvalidRequest('The context must be a JSON object.')
  }
  if (JSON.stringify(context).length > MAX_CONTEXT) {
    throw new InvalidRequest('The context is too long.')
  }
}
