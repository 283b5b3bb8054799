import { ConsentRequired, InteractionRequired } from '#auth/errors'
import type { Services } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { mayAnswerUnasked } from '#oauth2/authorize/remembered_consent'
import { extendRedirectUri } from '#oauth2/clients/redirect_uri'
import type { PendingAuthorization } from '#oauth2/pending/pending_authorization'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'

/** Whether a person has to be asked, and the question. */
export class Consent {
  constructor(protected services: Services<'codes' | 'remembered' | 'pending' | 'openid'>) {}

  /**
   * Answers a checked request of a browser without asking, where that is allowed;
   * or keeps it for the question.
   *
   * @returns where the browser has to go, or what the person has to decide
   * @throws {ConsentRequired | InteractionRequired} when the client wants nobody to be asked
   */
  async ask(request: AuthorizationRequest): Promise<string | PendingAuthorization> {
    const grants = await this.services.remembered.grants(request)
    const answer = await this.#answerUnasked(request, grants)
    if (answer) {
      return extendRedirectUri(request.redirectTarget!, answer)
    }
    if (request.prompt.has('none')) {
      throw this.services.openid !== null && covers(grants, request)
        ? new InteractionRequired()
        : new ConsentRequired()
    }
    return this.services.pending.begin(request, grants)
  }

  async #answerUnasked(request: AuthorizationRequest, grants: GrantRecord[]) {
    const { codes, remembered } = this.services
    if (request.client.firstParty && mayAnswerUnasked(request)) {
      return codes.approve(request)
    }
    const grant = remembered.find(request, grants)
    return grant && codes.reuse(request, grant)
  }
}

/** Whether everything was allowed before, so that it is something else that nobody but the person can answer. */
function covers(grants: GrantRecord[], { scopes }: AuthorizationRequest): boolean {
  return grants.some((grant) => scopes.every((scope) => grant.scopes.includes(scope)))
}
