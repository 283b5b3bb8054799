import type { HttpContext } from '@adonisjs/core/http'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'

import { AccessDenied, LoginRequired } from '#auth/errors'
import { isOwnedBy } from '#auth/users'
import { isExpired, toSeconds } from '#database/records'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { ServerPart } from '#oauth2/server_part'
import type { Decision } from '#oauth2/authorize/authorization'
import { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { destinationOf, extendRedirectUri } from '#oauth2/clients/client_urls'
import type OAuthPendingAuthorization from '#oauth2/models/oauth_pending_authorization'
import { assertWaits } from '#oauth2/parameters'
import { reportOAuthRefusal } from '#oauth2/protocol_error'
import { assertSubset } from '#oauth2/scopes'
import { signedIn } from '#oauth2/token_owners'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'
import { assertOr } from '#process/assert_or'
import { generateSecret, hashSecret } from '#security/secrets'

/** How long a request waits for its decision, in milliseconds. */
const LIFETIME = 900_000

/** What waits for a person's decision, bound to their session if they have one. It is judged anew at the decision. */
export type PendingRecord = ModelAttributes<OAuthPendingAuthorization>

/** They wait in the server; a page has a handle that works once, for the same user and session. */
export class PendingAuthorizations extends ServerPart {
  /** Keeps a checked request until it is decided. */
  async begin(request: AuthorizationRequest, grants: GrantRecord[]): Promise<ConsentQuestion> {
    const handle = generateSecret()
    const createdAt = Date.now()
    const expiresAt = createdAt + LIFETIME
    await this.server.tokens.pending.insert({
      handleHash: hashSecret(handle),
      ...request.user,
      sessionHash: sessionHashOf(request.ctx),
      parameters: request.fields,
      createdAt,
      expiresAt,
    })
    return new ConsentQuestion(handle, request, expiresAt, grants, this.server)
  }

  /**
   * The request that waits under a handle, checked anew.
   * @throws {UnknownAuthorization} for another user or session, too
   * @throws {AuthError} when nobody is signed in, or the request is refused by now
   */
  async find(ctx: HttpContext, handle: string): Promise<ConsentQuestion> {
    const { authorization, guard } = this.server
    const { record, request } = await this.#read(ctx, handle)
    const { user } = await signedIn(ctx, guard)
    const isSameSession = record.sessionHash === sessionHashOf(ctx)
    assertWaits(isOwnedBy(record, user) && isSameSession, 'handle of another user or session')
    await authorization.check(request, 'browser')
    const grants = await authorization.grants(request)
    return new ConsentQuestion(handle, request, record.expiresAt, grants, this.server)
  }

  /** Where a person whose session has ended makes the request again. */
  async locationAfterSignIn(ctx: HttpContext, handle: string): Promise<string> {
    const { record, request } = await this.#read(ctx, handle)
    request.pushedAt = record.createdAt
    return this.server.pushed.locationOf(request, request.fieldsAfter('login'))
  }

  async #read(ctx: HttpContext, handle: string) {
    const record = await this.server.tokens.pending.find(hashSecret(handle))
    assertWaits(record && !isExpired(record.expiresAt), 'handle unknown, used or expired')
    return { record, request: AuthorizationRequest.fromFields(ctx, record.parameters) }
  }
}

/** Who authenticates by a token has no session. */
function sessionHashOf({ session }: HttpContext): string | null {
  return session?.sessionId ? hashSecret(session.sessionId) : null
}

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

  /** What a consent page has to say, with epoch seconds. */
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

  choices() {
    const { ctx, user } = this.request
    return this.server.contexts.question(ctx, user, this.grants)
  }

  /**
   * Allows the request, or a part of its scopes.
   * @returns where the browser has to go
   * @throws {InvalidScope | InvalidRequest} for scopes or a context that cannot be
   * @throws {AccessDenied} when the approving token is bound to another context
   * @throws {LoginRequired} when the person has to sign in again first
   * @throws {UnknownAuthorization} when it was decided by another request
   */
  async approve(decision: Decision = {}): Promise<string> {
    const { user, context, redirectTarget, requiresLogin, scopes } = this.request
    assertOr(!requiresLogin, LoginRequired, 'The user is required to sign in again.')
    assertSubset(decision.scopes, scopes)
    await this.server.contexts.read(user, context, decision)
    await this.#take()
    const response = await this.server.authorization.approve(this.request, decision)
    return extendRedirectUri(redirectTarget!, response)
  }

  /** @returns where the browser has to go */
  async deny(): Promise<string> {
    await this.#take()
    const { request, server } = this
    server.announce('oauth2:consent_denied', request.consentEvent)
    const denied = new AccessDenied('The user denied the request.')
    await reportOAuthRefusal(denied, request.ctx)
    return server.authorization.errorLocation(request, denied)!
  }

  /** Gives the request up. @returns its address after a sign-in, or the choice of an account */
  async abandon(after: 'login' | 'select_account'): Promise<string> {
    await this.#take()
    return this.server.pushed.locationOf(this.request, this.request.fieldsAfter(after))
  }

  async #take() {
    assertWaits(await this.server.tokens.pending.take(hashSecret(this.handle)))
  }
}
