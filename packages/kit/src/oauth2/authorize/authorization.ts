import { AuthError, Unauthenticated } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import { CHECKS } from '#oauth2/authorize/checks'
import type { Decision, IssuedCode } from '#oauth2/authorize/code_issuer'
import { extendRedirectUri } from '#oauth2/clients/redirect_uri'

/** Judges authorization requests and answers them: `/oauth/authorize`. */
export class Authorization {
  constructor(protected server: AuthorizationServer) {}

  /** @throws {AuthError} of the first rule that the request breaks */
  async check(request: AuthorizationRequest, mode: keyof typeof CHECKS): Promise<void> {
    for (const check of CHECKS[mode]) {
      await check(request, this.server)
    }
  }

  /** What a checked request asks the user to approve. */
  describe({ client, parameters, redirectUri, scopes, challenge, resource }: AuthorizationRequest) {
    return {
      client_id: client.id,
      client_name: client.name,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      scopes: this.server.catalogue.describe(scopes),
      state: parameters.get('state'),
      response_type: 'code',
      code_challenge: challenge?.challenge ?? null,
      code_challenge_method: challenge?.method ?? null,
      resource,
      requires_approval: true,
    }
  }

  /** Issues a code for a checked and approved request. `redirect_to` is there when a `redirect_uri` was sent. */
  async approve(request: AuthorizationRequest): Promise<IssuedCode & { redirect_to?: string }> {
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
    const { codes, announce } = this.server
    const response = await codes.approve(request, decision)
    const { consentEvent, scopes } = request
    announce('oauth2:consent_given', { ...consentEvent, scopes: decision?.scopes ?? scopes })
    return response
  }

  /**
   * Where a browser takes an error to (RFC 6749 §4.1.2.1, with `iss` by RFC 9207 §2); null if no
   * redirect is safe: the client or its redirect URI is not verified, or nobody is signed in.
   */
  errorLocation({ redirectTarget, ctx, state }: AuthorizationRequest, error: unknown) {
    const isTold = error instanceof AuthError && !(error instanceof Unauthenticated)
    if (!isTold || redirectTarget === null) {
      return null
    }
    const iss = this.server.issuer.of(ctx.request)
    const { error: code, description } = error
    return extendRedirectUri(redirectTarget, {
      error: code,
      error_description: description,
      iss,
      state,
    })
  }
}
