import type { HttpContext } from '@adonisjs/core/http'

import type { GuardName } from '#auth/authenticators'
import { InvalidRequest } from '#auth/errors'
import type { Client } from '#oauth2/clients/client'
import type { Clients } from '#oauth2/clients/clients'
import { extendRedirectUri } from '#oauth2/clients/redirect_uri'
import type { IdTokenClaims } from '#oauth2/openid/id_tokens'
import type { OpenId } from '#oauth2/openid/openid'
import type { Parameters } from '#oauth2/parameters'

/** What a logout request is made of (OpenID Connect RP-Initiated Logout 1.0 §2), as far as it has a meaning here. */
const PARAMETERS = ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state']

/** A request to log out that has been checked. */
export interface LogoutRequest {
  /** The client that asks; null when it does not say. */
  client: Client | null
  hint: IdTokenClaims | null
  /** Where the person goes afterwards; null to stay. */
  redirectTo: string | null
  fields: Record<string, string>
}

/** Clients ask for a logout (OpenID Connect RP-Initiated Logout 1.0). */
export class Logout {
  /** @param services.guard the guard that knows who approves clients */
  constructor(protected services: { openid: OpenId; clients: Clients; guard: string }) {}

  /**
   * Checks a request.
   *
   * @throws {InvalidRequest} for a hint that is no ID token of the client, and for a URI that the client has not registered
   */
  async read(parameters: Parameters): Promise<LogoutRequest> {
    const { openid, clients } = this.services
    const fields = pick(parameters)
    const { id_token_hint: token, client_id: named = null } = fields
    const hint = token ? await openid.idTokens.readHint(token, named) : null
    const clientId = hint?.aud ?? named
    const client = clientId === null ? null : await clients.find(clientId)
    if (named !== null && client === null) {
      throw new InvalidRequest('The client_id is that of no active client.')
    }
    return { client, hint, redirectTo: redirectOf(fields, client), fields }
  }

  /**
   * Whether somebody is signed in and has to be asked first: unless the client
   * has shown an ID token of this person and this session, the request may be
   * anybody's.
   */
  async needsConfirmation({ hint }: LogoutRequest, ctx: HttpContext): Promise<boolean> {
    const { openid } = this.services
    const guard = this.#guard(ctx)
    if (!(await guard.check())) {
      return false
    }
    const user = { userId: guard.users.identify(guard.getUserOrFail()), provider: guard.users.name }
    const isMeant =
      hint !== null &&
      hint.sub === (await openid.subjects.of(user, hint.aud)) &&
      (hint.sid === undefined || hint.sid === openid.loginOf(ctx)?.sid)
    return !isMeant
  }

  /** Ends the session. */
  async perform(ctx: HttpContext): Promise<void> {
    const guard = this.#guard(ctx)
    if ('logout' in guard) {
      await guard.logout()
    }
  }

  #guard(ctx: HttpContext) {
    return ctx.authenticator.use(this.services.guard as GuardName)
  }
}

function pick(parameters: Parameters): Record<string, string> {
  return Object.fromEntries(
    PARAMETERS.flatMap((name) => {
      const value = parameters.get(name)
      return value === null ? [] : [[name, value]]
    })
  )
}

/** A person is sent to registered addresses alone, compared as exact strings (RP-Initiated Logout 1.0 §3). */
function redirectOf(fields: Record<string, string>, client: Client | null): string | null {
  const { post_logout_redirect_uri: uri, state } = fields
  if (!uri) {
    return null
  }
  if (!client?.openid?.postLogoutRedirectUris.includes(uri)) {
    throw new InvalidRequest('The post_logout_redirect_uri is not registered for the client.')
  }
  return state === undefined ? uri : extendRedirectUri(uri, { state })
}
