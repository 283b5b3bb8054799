import type { HttpContext } from '@adonisjs/core/http'

import type { Owner } from '#auth/users'
import { UnknownAuthorization } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { ConsentQuestion } from '#oauth2/pending/consent_question'
import { signedIn } from '#oauth2/token_owners'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'
import { isExpired } from '#database/expiry'
import { generateSecret, hashSecret } from '#security/secrets'

/** How long a request waits for its decision, in milliseconds. */
const LIFETIME = 900_000

/** An authorization request that waits for a person's decision. Instants are epoch milliseconds. */
export interface PendingRecord extends Owner {
  /** SHA-256 of the handle, which is the only way to the request. */
  handleHash: string
  /** SHA-256 of the id of the session that made the request; null without one. */
  sessionHash: string | null
  /** What the client sent. It is judged anew at the decision. */
  parameters: Record<string, string>
  createdAt: number
  expiresAt: number
}

/** They wait in the server; a page has a handle that works once, for the same user and session. */
export class PendingAuthorizations {
  constructor(protected server: AuthorizationServer) {}

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
   *
   * @throws {UnknownAuthorization} for another user or session, too
   * @throws {AuthError} when nobody is signed in, or the request is refused by now
   */
  async find(ctx: HttpContext, handle: string): Promise<ConsentQuestion> {
    const { authorization, consent, guard } = this.server
    const { record, request } = await this.#read(ctx, handle)
    const { user } = await signedIn(ctx, guard)
    const isSameUser = record.userId === user.userId && record.provider === user.provider
    const isSameSession = record.sessionHash === sessionHashOf(ctx)
    if (!isSameUser || !isSameSession) {
      throw new UnknownAuthorization(undefined, { reason: 'handle of another user or session' })
    }
    await authorization.check(request, 'browser')
    const grants = await consent.grants(request)
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
    if (!record || isExpired(record.expiresAt)) {
      throw new UnknownAuthorization(undefined, { reason: 'handle unknown, used or expired' })
    }
    return { record, request: AuthorizationRequest.fromFields(ctx, record.parameters) }
  }
}

/** Who authenticates by a token has no session. */
function sessionHashOf({ session }: HttpContext): string | null {
  return session?.sessionId ? hashSecret(session.sessionId) : null
}
