import { Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import { type ChallengeDetails, challengeFor, inEveryScheme } from '#auth/challenge'

const ERRORS = {
  invalid_request: [400, 'The request is missing a parameter or is malformed.'],
  invalid_grant: [400, 'The grant is invalid, expired or revoked.'],
  invalid_scope: [400, 'A requested scope is unknown or not allowed.'],
  invalid_target: [400, 'The requested resource is not served here.'],
  unsupported_grant_type: [400, 'The grant type is not supported.'],
  unsupported_response_type: [400, 'The response type is not supported.'],
  unauthorized_client: [400, 'The client is not allowed to do this.'],
  access_denied: [400, 'The request was not approved.'],
  invalid_redirect_uri: [400, 'A redirect URI is not acceptable.'],
  invalid_client_metadata: [400, 'The client metadata are not acceptable.'],
  login_required: [400, 'The user is required to sign in.'],
  consent_required: [400, 'The user is required to approve.'],
  interaction_required: [400, 'The user is required to be asked.'],
  request_not_supported: [400, 'The parameter request is not supported.'],
  request_uri_not_supported: [400, 'The parameter request_uri is not supported.'],
  invalid_dpop_proof: [400, 'The DPoP proof is missing or not valid.'],
  use_dpop_nonce: [400, 'The DPoP proof must carry the nonce of this server.'],
  invalid_request_uri: [400, 'The request_uri is unknown, used or expired.'],
  authorization_pending: [400, 'Nobody has decided yet. Poll again after the interval.'],
  slow_down: [400, 'The interval between two polls is 5 seconds longer from now on.'],
  expired_token: [400, 'The device_code has expired.'],
  unknown_authorization: [404, 'The authorization request is unknown, answered or expired.'],
  invalid_client: [401, 'Client authentication failed.'],
  invalid_token: [401, 'The access token is missing, invalid, expired or revoked.'],
  invalid_session: [401, 'There is no authenticated session.'],
  login_step_required: [401],
  insufficient_scope: [403, 'The request requires a scope that was not granted.'],
  csrf_token_mismatch: [403, 'The CSRF token is missing or does not match.'],
  email_not_verified: [403, 'The e-mail address has to be verified first.'],
  confirmation_required: [403, 'Confirm that it is you, then repeat the request.'],
  provider_required: [403, 'People of this domain sign in through their own provider.'],
  throttled: [429, 'Too many attempts. Try again later.'],
  server_error: [500, 'The server failed to handle the request.'],
  temporarily_unavailable: [503, 'The server is busy. Try again later.'],
} satisfies Record<string, [status: number, usual?: string]>

export type AuthErrorCode = keyof typeof ERRORS

export const usual = (code: AuthErrorCode): string => (ERRORS[code] as [number, string?])[1] ?? ''

export interface AuthErrorOptions {
  /** Why, in fixed words, for logs and events only. Default: the description. */
  reason?: string
}

/**
 * An error that renders itself as `{"error", "error_description"}` (RFC 6749 §5.2). The description
 * is printable ASCII without `"` and `\`, and never repeats what the caller sent.
 */
export class AuthError extends Exception {
  readonly reason: string

  constructor(
    readonly error: AuthErrorCode,
    readonly description: string = usual(error),
    options: AuthErrorOptions = {}
  ) {
    super(description, { status: ERRORS[error][0], code: error })
    this.reason = options.reason ?? description
  }

  /** Value of the `WWW-Authenticate` header (RFC 9110 §11.6.1); null for none. */
  get challenge(): string | null {
    const scheme = this.error === 'invalid_client' ? 'Basic' : 'Bearer'
    return this.status === 401 ? scheme : null
  }

  get headers(): Record<string, string> {
    const { challenge } = this
    return {
      'Cache-Control': 'no-store',
      'Pragma': 'no-cache',
      ...(challenge && { 'WWW-Authenticate': challenge }),
    }
  }

  /** What a full Bearer challenge tells of this error; null for an error that has none. */
  protected get challengeDetails(): ChallengeDetails | null {
    return null
  }

  /** The response headers for a request: the route or the config may want a full challenge. */
  headersFor(ctx: HttpContext): Record<string, string> {
    const details = this.challengeDetails
    const bearer = details && (challengeFor(ctx, details) ?? this.challenge)
    return { ...this.headers, ...(bearer && { 'WWW-Authenticate': inEveryScheme(ctx, bearer) }) }
  }

  /** Called by AdonisJS when the error leaves a request handler. */
  handle(error: this, ctx: HttpContext) {
    const { response } = ctx
    for (const [name, value] of Object.entries(error.headersFor(ctx))) {
      response.header(name, value)
    }
    response.status(error.status).send({ error: error.error, error_description: error.description })
  }
}

/** Named: declarations cannot describe an anonymous class with a protected member. */
type AuthErrorClass = new (description?: string, options?: AuthErrorOptions) => AuthError

export function errorOf(code: AuthErrorCode): AuthErrorClass {
  return class extends AuthError {
    constructor(description?: string, options?: AuthErrorOptions) {
      super(code, description, options)
    }
  }
}
