import { AuthError, Unauthenticated } from '#auth/errors'
import type { Services } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import type { AuthorizeServices } from '#oauth2/authorize/check'
import { checkUser } from '#oauth2/authorize/check_user'
import { BROWSER_CHECKS, JSON_CHECKS, PUSH_CHECKS } from '#oauth2/authorize/checks'
import type { Decision, IssuedCode } from '#oauth2/authorize/code_issuer'
import { extendRedirectUri } from '#oauth2/clients/redirect_uri'

const CHECKS = { json: JSON_CHECKS, browser: BROWSER_CHECKS, push: PUSH_CHECKS }

export type AuthorizationResponse = IssuedCode & { redirect_to?: string }

/** Judges authorization requests and answers them: `/oauth/authorize`. */
export class Authorization {
  constructor(protected services: AuthorizeServices & Services<'issuer' | 'codes'>) {}

  /** @throws {AuthError} of the first rule that the request breaks */
  async check(request: AuthorizationRequest, mode: keyof typeof CHECKS): Promise<void> {
    for (const check of CHECKS[mode]) {
      await check(request, this.services)
    }
  }

  /**
   * Finds out who makes the request, and nothing else.
   *
   * @throws {Unauthenticated} when nobody is signed in
   */
  async identify(request: AuthorizationRequest): Promise<void> {
    await checkUser(request, this.services)
  }

  /** What a checked request asks the user to approve. */
  describe({ client, parameters, redirectUri, scopes, challenge, resource }: AuthorizationRequest) {
    return {
      client_id: client.id,
      client_name: client.name,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      scopes: this.services.catalogue.describe(scopes),
      state: parameters.get('state'),
      response_type: 'code',
      code_challenge: challenge?.challenge ?? null,
      code_challenge_method: challenge?.method ?? null,
      resource,
      requires_approval: true,
    }
  }

  /** Issues a code for a checked and approved request. `redirect_to` is there when a `redirect_uri` was sent. */
  async approve(request: AuthorizationRequest): Promise<AuthorizationResponse> {
    const { redirectUri } = request
    const response = await this.#issue(request)
    return redirectUri === null
      ? response
      : { ...response, redirect_to: extendRedirectUri(redirectUri, response) }
  }

  /** Does the same for a browser, and returns where it goes: to the client's only redirect URI when none was sent. */
  async approveInBrowser(request: AuthorizationRequest, decision?: Decision): Promise<string> {
    return extendRedirectUri(request.redirectTarget!, await this.#issue(request, decision))
  }

  async #issue(request: AuthorizationRequest, decision?: Decision): Promise<IssuedCode> {
    const response = await this.services.codes.approve(request, decision)
    this.services.announce('oauth2:consent_given', {
      clientId: request.client.id,
      userId: request.user.userId,
      scopes: decision?.scopes ?? request.scopes,
      resource: request.resource,
    })
    return response
  }

  /**
   * Where a browser takes an error to (RFC 6749 §4.1.2.1, with `iss` by
   * RFC 9207 §2); null when it has to be told in place: the client or its
   * redirect URI is not known to be good, or nobody is signed in.
   */
  errorLocation(request: AuthorizationRequest, error: unknown): string | null {
    if (!(error instanceof AuthError) || request.redirectTarget === null) {
      return null
    }
    if (error instanceof Unauthenticated) {
      return null
    }
    return extendRedirectUri(request.redirectTarget, {
      error: error.error,
      error_description: error.description,
      iss: this.services.issuer.of(request.ctx.request),
      state: request.state,
    })
  }
}
