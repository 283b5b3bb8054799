import { ConsentRequired, InteractionRequired } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { destinationOf, extendRedirectUri } from '#oauth2/clients/redirect_uri'
import type { ConsentQuestion } from '#oauth2/pending/pending_authorizations'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'

/** Whether a person has to be asked, and the question. */
export class Consent {
  constructor(protected server: AuthorizationServer) {}

  /** What a user has allowed a client for a resource before. */
  async grants({ user, client: { id: clientId }, resource }: AuthorizationRequest) {
    return this.server.tokens.grants.findLiving({ ...user, clientId, resource }, Date.now())
  }

  /**
   * Where a browser goes on to with a checked request, or what its person has to decide.
   *
   * @throws {ConsentRequired | InteractionRequired} when the client wants nobody to be asked
   */
  async ask(request: AuthorizationRequest): Promise<string | ConsentQuestion> {
    const grants = await this.grants(request)
    const answer = mayAnswerUnasked(request) ? await this.#answerUnasked(request, grants) : null
    if (answer) {
      return extendRedirectUri(request.redirectTarget!, answer)
    }
    if (request.prompt.has('none')) {
      /* All scopes were allowed before, so the open question is another one. */
      const isOther = this.server.openid && grants.some((grant) => covers(grant, request))
      throw isOther ? new InteractionRequired() : new ConsentRequired()
    }
    return this.server.pending.begin(request, grants)
  }

  /** By the one grant that has all scopes, to the same host; of several only the user knows which. */
  async #answerUnasked(request: AuthorizationRequest, [grant, ...others]: GrantRecord[]) {
    const { codes, contexts } = this.server
    if (request.client.firstParty) {
      return codes.approve(request)
    }
    if (!grant || others.length > 0 || !covers(grant, request)) {
      return null
    }
    const isSameHost = grant.redirectHost === destinationOf(request.redirectTarget!).host
    const isMeant = isSameHost && contexts.mayGive(request.context, grant.context)
    return isMeant ? codes.reuse(request, grant) : null
  }
}

function covers(grant: GrantRecord, { scopes }: AuthorizationRequest): boolean {
  return scopes.every((scope) => grant.scopes.includes(scope))
}

/** Any program can listen on a loopback or private-use address: it always asks (RFC 8252 §8.6). */
function mayAnswerUnasked({ prompt, redirectTarget, requiresLogin }: AuthorizationRequest) {
  const asks = prompt.has('consent') || prompt.has('select_account') || requiresLogin
  return !asks && destinationOf(redirectTarget!).kind === 'web'
}
