import { AuthError, InvalidClient } from '#auth/errors'
import { isExpired } from '#database/expiry'
import type { MaybePromise } from '#process/maybe_promise'
import { hashSecret } from '#security/secrets'
import type { Services } from '#oauth2/authorization_server'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import type { Client } from '#oauth2/clients/client'
import { type AccessTokenClaims, looksLikeJwt } from '#oauth2/tokens/access_tokens'

/** The response for every inactive token (RFC 7662 §2.2). */
const INACTIVE = { active: false } as const

export type IntrospectionResponse =
  | typeof INACTIVE
  | (Omit<AccessTokenClaims, 'jti' | 'iss'> & {
      active: true
      token_type: 'Bearer' | 'DPoP' | 'refresh_token'
      jti?: string
      iss?: string
    })

/** Tells a confidential client about a token (RFC 7662). */
export class Introspection {
  constructor(
    protected services: Services<
      | 'config'
      | 'authentication'
      | 'clients'
      | 'owners'
      | 'tokens'
      | 'accessTokens'
      | 'usedGrants'
      | 'manager'
      | 'subjectOf'
    >
  ) {}

  /**
   * @throws {InvalidClient} unless a confidential client asks
   * @throws {InvalidRequest} when the token is missing
   */
  async introspect(request: ClientRequest): Promise<IntrospectionResponse> {
    const { authentication } = this.services
    const caller = await authentication.authenticate(request, authentication.read(request))
    if (!caller.confidential) {
      throw new InvalidClient('Introspection requires a client with a secret.')
    }
    const token = request.parameters.require('token')
    return looksLikeJwt(token)
      ? this.#accessToken(token, caller)
      : this.#refreshToken(token, caller)
  }

  async #accessToken(token: string, caller: Client): Promise<IntrospectionResponse> {
    const { accessTokens, tokens, owners, usedGrants, manager } = this.services
    const claims = await accessTokens.verify(token).catch(ignoreRefusal)
    const found = claims && (await tokens.findAccessToken(claims.jti, owners.likely))
    if (!found || !isLive(found.record)) {
      return INACTIVE
    }
    const { record, user } = found
    if (!maySee(caller, record)) {
      return INACTIVE
    }
    if (record.userId !== null && !(await this.#hasOwner(record, user, caller))) {
      return INACTIVE
    }
    if (record.name !== null) {
      usedGrants.usePersonal(record)
    }
    const context = record.grantId === null ? record.context : await usedGrants.use(record.grantId)
    return {
      active: true,
      ...(context && (await manager.feature('credentialContexts')?.claims(context))),
      ...claims,
      token_type: claims.cnf ? 'DPoP' : 'Bearer',
    }
  }

  async #refreshToken(token: string, caller: Client): Promise<IntrospectionResponse> {
    const { config, tokens, owners, subjectOf } = this.services
    const found = await tokens.findRefreshToken(hashSecret(token), owners.likely)
    if (!found || found.record.rotatedAt !== null || !isLive(found.record)) {
      return INACTIVE
    }
    const { record, user } = found
    if (!maySee(caller, record)) {
      return INACTIVE
    }
    const usable = record.clientId !== null || config.grantTypes.includes('password')
    if (!usable || !(await this.#hasOwner(record, user, caller))) {
      return INACTIVE
    }
    return {
      active: true,
      scope: record.scopes.join(' '),
      client_id: record.clientId,
      sub: await subjectOf(record, record.clientId),
      token_type: 'refresh_token',
      exp: record.expiresAt / 1000,
      iat: record.createdAt / 1000,
      ...(record.resource !== null && { aud: record.resource }),
      ...(record.dpopJkt !== null && { cnf: { jkt: record.dpopJkt } }),
    }
  }

  async #hasOwner(
    record: { userId: string | null; provider: string | null; clientId: string | null },
    user: unknown,
    caller: Client
  ) {
    const { owners } = this.services
    const client = await this.#client(record.clientId, caller)
    if (record.clientId !== null && client === null) {
      return false
    }
    const owner = { userId: record.userId!, provider: record.provider! }
    return (await owners.find(owner, client, user)) !== null
  }

  /** The client of a token, which most often is the caller. */
  #client(id: string | null, caller: Client): MaybePromise<Client | null> {
    if (id === null) {
      return null
    }
    return id === caller.id ? caller : this.services.clients.find(id)
  }
}

/** Anybody can be a client that nobody here registered: it sees its own tokens alone (RFC 7662 §4). */
function maySee(caller: Client, { clientId }: { clientId: string | null }) {
  return caller.source === null || clientId === caller.id
}

function isLive(record: { revokedAt: number | null; expiresAt: number }) {
  return record.revokedAt === null && !isExpired(record.expiresAt)
}

function ignoreRefusal(error: unknown): null {
  if (error instanceof AuthError) {
    return null
  }
  throw error
}
