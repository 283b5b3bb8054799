import { AuthError, InvalidSession, InvalidToken } from '#auth/errors'
import { generateIdentifier, generateSecret, hashSecret } from '#support/secrets'
import type { AuthorizationRequest } from '#oauth2/authorize/authorization_request'
import type { AuthorizeServices } from '#oauth2/authorize/check'
import { BROWSER_CHECKS, JSON_CHECKS } from '#oauth2/authorize/checks'
import { extendRedirectUri } from '#oauth2/clients/redirect_uri'
import type { Issuer } from '#oauth2/issuer'
import type { TokenStore } from '#oauth2/tokens/token_store'

/** A code with what goes with it. `state` comes back as it was sent, and only if it was (RFC 6749 §4.1.2). */
type IssuedCode = { code: string; state?: string; iss: string }

export type AuthorizationResponse = IssuedCode & { redirect_to?: string }

/** Judges authorization requests and issues codes: `/oauth/authorize`. */
export class Authorization {
  constructor(protected services: AuthorizeServices & { issuer: Issuer; tokens: TokenStore }) {}

  /** @throws {AuthError} of the first rule that the request breaks */
  async check(request: AuthorizationRequest, mode: 'json' | 'browser'): Promise<void> {
    for (const check of mode === 'json' ? JSON_CHECKS : BROWSER_CHECKS) {
      await check(request, this.services)
    }
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
  async approveInBrowser(request: AuthorizationRequest): Promise<string> {
    return extendRedirectUri(request.redirectTarget!, await this.#issue(request))
  }

  async #issue(request: AuthorizationRequest): Promise<IssuedCode> {
    const { client, user, redirectUri, scopes, challenge, resource, state } = request
    const code = generateSecret()
    const now = Date.now()
    await this.services.tokens.insertCode({
      id: generateIdentifier(),
      codeHash: hashSecret(code),
      ...user,
      clientId: client.id,
      redirectUri,
      scopes,
      resource,
      codeChallenge: challenge?.challenge ?? null,
      codeChallengeMethod: challenge?.method ?? null,
      createdAt: now,
      expiresAt: now + this.services.config.authorizationCodeTtl * 1000,
      redeemedAt: null,
      accessTokenId: null,
      revokedAt: null,
    })
    this.services.announce('oauth2:consent_given', {
      clientId: client.id,
      userId: user.userId,
      scopes,
      resource,
    })

    const iss = this.services.issuer.of(request.ctx.request)
    return { code, ...(state !== null && { state }), iss }
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
    if (error instanceof InvalidSession || error instanceof InvalidToken) {
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
