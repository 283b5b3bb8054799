import type { Services } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { destinationOf } from '#oauth2/authorize/destination'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'

/** What a user has allowed a client for a resource before. */
export class RememberedConsent {
  constructor(protected services: Services<'tokens'>) {}

  async grants({ user, client, resource }: AuthorizationRequest): Promise<GrantRecord[]> {
    const subject = { ...user, clientId: client.id, resource }
    return this.services.tokens.grants.findLiving(subject, Date.now())
  }

  /**
   * The grant that answers a request without asking the user again; null when the
   * user has to be asked. A grant answers when it has all scopes of the request and
   * the answer goes to the same host; of several, only the user knows which is meant.
   */
  find(request: AuthorizationRequest, grants: GrantRecord[]): GrantRecord | null {
    const [grant, ...others] = grants
    if (!grant || others.length || !mayAnswerUnasked(request)) {
      return null
    }
    const covers = request.scopes.every((scope) => grant.scopes.includes(scope))
    const isSameHost = grant.redirectHost === destinationOf(request.redirectTarget!).host
    return covers && isSameHost ? grant : null
  }
}

/**
 * Whether a request may be answered without a question. Any program can wait
 * behind a loopback or a private-use address, so there the user is asked each
 * time, whoever the client says it is (RFC 8252 §8.6).
 */
export function mayAnswerUnasked(request: AuthorizationRequest): boolean {
  const { prompt, redirectTarget, requiresLogin } = request
  const asks = prompt.has('consent') || prompt.has('select_account') || requiresLogin
  return !asks && destinationOf(redirectTarget!).kind === 'web'
}
