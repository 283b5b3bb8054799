import { Exception, RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import { type ChallengeDetails, challengeFor, inEveryScheme } from '#auth/challenge'

/** Status and challenge of every error code. */
const ERRORS = {
  invalid_request: { status: 400, challenge: null },
  invalid_grant: { status: 400, challenge: null },
  invalid_scope: { status: 400, challenge: null },
  invalid_target: { status: 400, challenge: null },
  unsupported_grant_type: { status: 400, challenge: null },
  unsupported_response_type: { status: 400, challenge: null },
  unauthorized_client: { status: 400, challenge: null },
  access_denied: { status: 400, challenge: null },
  invalid_redirect_uri: { status: 400, challenge: null },
  invalid_client_metadata: { status: 400, challenge: null },
  login_required: { status: 400, challenge: null },
  consent_required: { status: 400, challenge: null },
  invalid_dpop_proof: { status: 400, challenge: null },
  use_dpop_nonce: { status: 400, challenge: null },
  invalid_request_uri: { status: 400, challenge: null },
  authorization_pending: { status: 400, challenge: null },
  slow_down: { status: 400, challenge: null },
  expired_token: { status: 400, challenge: null },
  interaction_required: { status: 400, challenge: null },
  request_not_supported: { status: 400, challenge: null },
  request_uri_not_supported: { status: 400, challenge: null },
  unknown_authorization: { status: 404, challenge: null },
  invalid_client: { status: 401, challenge: 'Basic' },
  invalid_token: { status: 401, challenge: 'Bearer' },
  invalid_session: { status: 401, challenge: 'Bearer' },
  login_step_required: { status: 401, challenge: 'Bearer' },
  insufficient_scope: { status: 403, challenge: null },
  csrf_token_mismatch: { status: 403, challenge: null },
  email_not_verified: { status: 403, challenge: null },
  confirmation_required: { status: 403, challenge: null },
  throttled: { status: 429, challenge: null },
  server_error: { status: 500, challenge: null },
  temporarily_unavailable: { status: 503, challenge: null },
} as const

export type AuthErrorCode = keyof typeof ERRORS

export interface AuthErrorOptions {
  /**
   * Why the request was refused, in fixed words for operators: the log and
   * events have it, answers never. Default: the description.
   */
  reason?: string
}

/**
 * An error of the authentication package. It renders itself as
 * `{"error", "error_description"}` (RFC 6749 §5.2).
 *
 * The description is printable ASCII without `"` and `\`, and never repeats
 * what the caller sent.
 */
export class AuthError extends Exception {
  readonly error: AuthErrorCode
  readonly description: string
  readonly reason: string

  constructor(error: AuthErrorCode, description: string, options: AuthErrorOptions = {}) {
    super(description, { status: ERRORS[error].status, code: error })
    this.error = error
    this.description = description
    this.reason = options.reason ?? description
  }

  /** Value of the `WWW-Authenticate` header (RFC 9110 §11.6.1); null for none. */
  get challenge(): string | null {
    return ERRORS[this.error].challenge
  }

  /** The response headers of this error. */
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

  /** The response headers of this error for a request: the route or the config may want a full challenge. */
  headersFor(ctx: HttpContext): Record<string, string> {
    const details = this.challengeDetails
    const bearer = details && (challengeFor(ctx, details) ?? this.challenge)
    return {
      ...this.headers,
      ...(bearer && { 'WWW-Authenticate': inEveryScheme(ctx, bearer) }),
    }
  }

  /** Called by AdonisJS when the error leaves a request handler. */
  handle(error: this, ctx: HttpContext) {
    const { response } = ctx
    for (const [name, value] of Object.entries(error.headersFor(ctx))) {
      response.header(name, value)
    }
    response.status(error.status).send({
      error: error.error,
      error_description: error.description,
    })
  }
}

/** Named, because declarations cannot describe an anonymous class with a protected member. */
type AuthErrorClass = new (description?: string, options?: AuthErrorOptions) => AuthError

/** The class of errors with a code; its instances have this description unless they are given a better one. */
function errorOf(code: AuthErrorCode, usual: string): AuthErrorClass {
  return class extends AuthError {
    constructor(description = usual, options?: AuthErrorOptions) {
      super(code, description, options)
    }
  }
}

/** The request misses a parameter, repeats one, or is malformed (400). */
export class InvalidRequest extends errorOf(
  'invalid_request',
  'The request is missing a parameter or is malformed.'
) {}

/** The grant, code, refresh token, reset token or credentials are not valid (400). */
export class InvalidGrant extends errorOf(
  'invalid_grant',
  'The grant is invalid, expired or revoked.'
) {}

/** A requested scope is unknown or not allowed (400). */
export class InvalidScope extends errorOf(
  'invalid_scope',
  'A requested scope is unknown or not allowed.'
) {}

/** The requested resource is unknown, or more than one was requested (400, RFC 8707 §2). */
export class InvalidTarget extends errorOf(
  'invalid_target',
  'The requested resource is not served here.'
) {}

/** The grant type is unknown or not enabled (400). */
export class UnsupportedGrantType extends errorOf(
  'unsupported_grant_type',
  'The grant type is not supported.'
) {}

/** The response type is not `code` (400). */
export class UnsupportedResponseType extends errorOf(
  'unsupported_response_type',
  'The response type is not supported.'
) {}

/** The client may not do this (400). */
export class UnauthorizedClient extends errorOf(
  'unauthorized_client',
  'The client is not allowed to do this.'
) {}

/** The user did not approve (400). */
export class AccessDenied extends errorOf('access_denied', 'The request was not approved.') {}

/** A client registers with a redirect URI that is not acceptable, or with none (400, RFC 7591 §3.2.2). */
export class InvalidRedirectUri extends errorOf(
  'invalid_redirect_uri',
  'A redirect URI is not acceptable.'
) {}

/** A client registers with metadata that are not acceptable (400, RFC 7591 §3.2.2). */
export class InvalidClientMetadata extends errorOf(
  'invalid_client_metadata',
  'The client metadata are not acceptable.'
) {}

/** The user has to sign in, and the request does not let the user be asked (400, OpenID Connect Core 1.0 §3.1.2.6). */
export class LoginRequired extends errorOf('login_required', 'The user is required to sign in.') {}

/** The user has to approve, and the request does not let the user be asked (400, OpenID Connect Core 1.0 §3.1.2.6). */
export class ConsentRequired extends errorOf(
  'consent_required',
  'The user is required to approve.'
) {}

/** The user has to be asked something, and the request does not let the user be asked (400, OpenID Connect Core 1.0 §3.1.2.6). */
export class InteractionRequired extends errorOf(
  'interaction_required',
  'The user is required to be asked.'
) {}

/** Request objects are not supported (400, OpenID Connect Core 1.0 §3.1.2.6). */
export class RequestNotSupported extends AuthError {
  /** @param parameter what carried the request object: by value, or by reference */
  constructor(parameter: 'request' | 'request_uri' = 'request') {
    super(`${parameter}_not_supported`, `The parameter ${parameter} is not supported.`)
  }
}

/** No authorization request waits under this handle for this user (404). */
export class UnknownAuthorization extends errorOf(
  'unknown_authorization',
  'The authorization request is unknown, answered or expired.'
) {}

/** Client authentication failed (401 with a Basic challenge, RFC 6749 §5.2). */
export class InvalidClient extends errorOf('invalid_client', 'Client authentication failed.') {}

/**
 * A guard does not recognise the caller (401). A guard of your own extends it
 * and names its challenge.
 *
 * @example
 * class WrongPassword extends Unauthenticated {
 *   override get challenge() {
 *     return 'Basic realm="Reports"'
 *   }
 * }
 */
export class Unauthenticated extends AuthError {
  /** @param absent whether the request carried no credentials for the guard at all */
  constructor(
    error: 'invalid_token' | 'invalid_session' | 'login_step_required' = 'invalid_token',
    description = 'The credentials are missing or not valid.',
    readonly absent = false,
    options?: AuthErrorOptions
  ) {
    super(error, description, options)
  }

  /** A challenge of another scheme stays as it is. */
  protected override get challengeDetails(): ChallengeDetails | null {
    if (this.challenge !== 'Bearer') {
      return null
    }
    return this.absent ? {} : { error: 'invalid_token', description: this.description }
  }
}

/** There is no valid token (401 with a Bearer challenge, RFC 6750 §3). */
export class InvalidToken extends Unauthenticated {
  /** @param absent whether the request carried no token at all */
  constructor(
    description = 'The access token is missing, invalid, expired or revoked.',
    absent = false,
    options?: AuthErrorOptions
  ) {
    super('invalid_token', description, absent, options)
  }
}

/** There is no authenticated session, or a login failed (401). */
export class InvalidSession extends Unauthenticated {
  constructor(description = 'There is no authenticated session.', options?: AuthErrorOptions) {
    super('invalid_session', description, true, options)
  }
}

/**
 * The password is right and not enough (401): signing in takes another step,
 * e.g. a second factor. Send its credentials along with the password.
 */
export class LoginStepRequired extends Unauthenticated {
  /** @param step name of the step, e.g. `two_factor` */
  constructor(readonly step: string) {
    super('login_step_required', `Signing in takes another step: ${step}.`)
  }
}

/** The token lacks a scope (403, RFC 6750 §3.1). */
export class InsufficientScope extends AuthError {
  /** The scopes to ask for. */
  readonly scopes: readonly string[]

  constructor(
    description = 'The request requires a scope that was not granted.',
    options: AuthErrorOptions & { scopes?: readonly string[] } = {}
  ) {
    super('insufficient_scope', description, options)
    this.scopes = options.scopes ?? []
  }

  protected override get challengeDetails(): ChallengeDetails {
    return { error: 'insufficient_scope', description: this.description, scopes: this.scopes }
  }
}

/** An unsafe request of a session came without the session's CSRF token (403). */
export class CsrfTokenMismatch extends errorOf(
  'csrf_token_mismatch',
  'The CSRF token is missing or does not match.'
) {}

/** The user has not verified their e-mail address (403). */
export class EmailNotVerified extends errorOf(
  'email_not_verified',
  'The e-mail address has to be verified first.'
) {}

/** The user has to prove again who they are before this request is handled (403): `POST /confirm`. */
export class ConfirmationRequired extends errorOf(
  'confirmation_required',
  'Confirm that it is you, then repeat the request.'
) {}

/** Too many attempts (429). */
export class Throttled extends AuthError {
  /** @param retryAfter seconds until the next attempt is allowed */
  constructor(
    readonly retryAfter: number,
    description = 'Too many attempts. Try again later.'
  ) {
    super('throttled', description)
  }

  override get headers(): Record<string, string> {
    return { ...super.headers, 'Retry-After': String(Math.max(1, Math.ceil(this.retryAfter))) }
  }
}

/** An unexpected failure (500, RFC 6749 §4.1.2.1). The cause is in the log only. */
export class ServerError extends errorOf(
  'server_error',
  'The server failed to handle the request.'
) {}

/** The server cannot handle the request at the moment (503, RFC 6749 §4.1.2.1). */
export class TemporarilyUnavailable extends AuthError {
  /** @param retryAfter seconds after which the caller may try again */
  constructor(
    readonly retryAfter: number,
    description = 'The server is busy. Try again later.'
  ) {
    super('temporarily_unavailable', description)
  }

  override get headers(): Record<string, string> {
    return { ...super.headers, 'Retry-After': String(this.retryAfter) }
  }
}

/** A driver belongs to a provider that is not registered. */
export class FeatureNotRegistered extends RuntimeException {
  /** @param requiredBy what requires the driver, for the error message, e.g. `The guard "web"` */
  constructor(requiredBy: string, driver: string, provider: { name: string; module: string }) {
    super(
      `${requiredBy} uses the driver "${driver}", which belongs to ${provider.name}. ` +
        `Add () => import('${provider.module}') to the providers in adonisrc.ts, after AuthProvider.`
    )
    this.name = 'FeatureNotRegistered'
  }
}
