import type { HttpContext } from '@adonisjs/core/http'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'

import { AuthError } from '#auth/errors'
import { ServerPart } from '#oauth2/server_part'
import { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import type { Client } from '#oauth2/clients/client'
import { isExpired } from '#database/records'
import type OAuthPushedRequest from '#oauth2/models/oauth_pushed_request'
import { Parameters, assertRequest } from '#oauth2/parameters'
import { assertOr } from '#process/assert_or'
import { generateSecret, hashSecret } from '#security/secrets'

/** RFC 9126 §2.2 */
const PREFIX = 'urn:ietf:params:oauth:request_uri:'

/** Seconds within which the browser has to open it. */
const LIFETIME = 60

/** Milliseconds from the push in which a person who came in time signs in and reads. */
const PATIENCE = 900_000

/** What a client has pushed (RFC 9126). It is judged anew when the browser comes. */
export type PushedRecord = ModelAttributes<OAuthPushedRequest>

/** The browser carries a reference (RFC 9126), good for one answer; a sign-in comes back to it. */
export class PushedRequests extends ServerPart {
  /** Keeps a client's request, after the checks that need no person, and answers it (RFC 9126 §2.2). */
  async push(ctx: HttpContext) {
    const parameters = Parameters.fromForm(ctx.request)
    const request = new AuthorizationRequest(ctx, parameters, undefined, true)
    request.client = await this.#authenticate(request)
    assertRequest(parameters.get('request_uri') === null, 'A request_uri cannot be pushed.')
    await this.server.authorization.check(request, 'push')
    const requestUri = await this.#insert(request.client.id, request.fields, LIFETIME * 1000)
    return { request_uri: requestUri, expires_in: LIFETIME }
  }

  /** The request that a `request_uri` stands for, alone (§4); without one the request itself. @throws {AuthError} */
  async open(request: AuthorizationRequest): Promise<AuthorizationRequest> {
    const { pushedRequests } = this.server.config
    const requestUri = pushedRequests.enabled ? request.parameters.get('request_uri') : null
    if (requestUri === null) {
      return request
    }
    const clientId = request.parameters.require('client_id')
    const record = await this.server.tokens.pushed.find(hashSecret(requestUri))
    assertGood(record && !isExpired(record.expiresAt), 'request_uri unknown, used or expired')
    assertGood(record.clientId === clientId, 'request_uri of another client')
    const fields = { ...record.parameters, request_uri: requestUri }
    const opened = AuthorizationRequest.fromFields(request.ctx, fields, request.approved)
    opened.pushedAt = record.createdAt
    return opened
  }

  /** Gives the person time to sign in, or to read what is asked. */
  async keep({ requestUri, pushedAt }: AuthorizationRequest): Promise<void> {
    if (requestUri !== null && pushedAt !== null) {
      await this.server.tokens.pushed.extend(hashSecret(requestUri), pushedAt + PATIENCE)
    }
  }

  /** Uses the reference of a checked request up. @throws {AuthError} when another request has */
  async use({ requestUri }: AuthorizationRequest): Promise<void> {
    const { pushed } = this.server.tokens
    const isFirst = requestUri === null || (await pushed.take(hashSecret(requestUri)))
    assertGood(isFirst, 'request_uri used by another request')
  }

  /** Address of a request with other fields: under a reference of its own when it was pushed. */
  async locationOf(request: AuthorizationRequest, fields: Record<string, string>): Promise<string> {
    if (request.requestUri === null) {
      return request.locationOf(fields)
    }
    const clientId = fields.client_id!
    const requestUri = await this.#insert(clientId, fields, PATIENCE, request.pushedAt ?? undefined)
    return request.locationOf({ client_id: clientId, request_uri: requestUri })
  }

  async #authenticate(request: AuthorizationRequest): Promise<Client> {
    const { manager, authentication, clients } = this.server
    const credentials = authentication.read(request)
    if (credentials.id?.startsWith('https:')) {
      /* A client with a document: it is fetched, as at /oauth/authorize. */
      await clients.findForAuthorization(credentials.id, request.ctx)
    }
    const client = await authentication.authenticate(request, credentials)
    if (!client.confidential || client.source !== null) {
      /* Anybody can push as a public client, or make one, and every request leaves a row. */
      await manager.feature('throttle')?.penalize('pushedRequests', null, request.ctx)
    }
    return client
  }

  async #insert(
    clientId: string,
    fields: Record<string, string>,
    lifetime: number,
    pushedAt = Date.now()
  ): Promise<string> {
    const requestUri = `${PREFIX}${generateSecret()}`
    await this.server.tokens.pushed.insert({
      uriHash: hashSecret(requestUri),
      clientId,
      parameters: { ...fields, client_id: clientId },
      createdAt: pushedAt,
      expiresAt: pushedAt + lifetime,
    })
    return requestUri
  }
}

/** 400, RFC 9101 §6.1 */
function assertGood(isGood: unknown, reason: string): asserts isGood {
  assertOr(isGood, AuthError, 'invalid_request_uri', undefined, { reason })
}
