import { Exception, RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

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
  invalid_client: { status: 401, challenge: 'Basic' },
  invalid_token: { status: 401, challenge: 'Bearer' },
  invalid_session: { status: 401, challenge: 'Bearer' },
  insufficient_scope: { status: 403, challenge: null },
  csrf_token_mismatch: { status: 403, challenge: null },
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

  /** Called by AdonisJS when the error leaves a request handler. */
  handle(error: this, { response }: HttpContext) {
    for (const [name, value] of Object.entries(error.headers)) {
      response.header(name, value)
    }
    response.status(error.status).send({
      error: error.error,
      error_description: error.description,
    })
  }
}

/** The request misses a parameter, repeats one, or is malformed (400). */
export class InvalidRequest extends AuthError {
  constructor(
    description = 'The request is missing a parameter or is malformed.',
    options?: AuthErrorOptions
  ) {
    super('invalid_request', description, options)
  }
}

/** The grant, code, refresh token, reset token or credentials are not valid (400). */
export class InvalidGrant extends AuthError {
  constructor(
    description = 'The grant is invalid, expired or revoked.',
    options?: AuthErrorOptions
  ) {
    super('invalid_grant', description, options)
  }
}

/** A requested scope is unknown or not allowed (400). */
export class InvalidScope extends AuthError {
  constructor(
    description = 'A requested scope is unknown or not allowed.',
    options?: AuthErrorOptions
  ) {
    super('invalid_scope', description, options)
  }
}

/** The requested resource is unknown, or more than one was requested (400, RFC 8707 §2). */
export class InvalidTarget extends AuthError {
  constructor(
    description = 'The requested resource is not served here.',
    options?: AuthErrorOptions
  ) {
    super('invalid_target', description, options)
  }
}

/** The grant type is unknown or not enabled (400). */
export class UnsupportedGrantType extends AuthError {
  constructor(description = 'The grant type is not supported.', options?: AuthErrorOptions) {
    super('unsupported_grant_type', description, options)
  }
}

/** The response type is not `code` (400). */
export class UnsupportedResponseType extends AuthError {
  constructor(description = 'The response type is not supported.', options?: AuthErrorOptions) {
    super('unsupported_response_type', description, options)
  }
}

/** The client may not do this (400). */
export class UnauthorizedClient extends AuthError {
  constructor(description = 'The client is not allowed to do this.', options?: AuthErrorOptions) {
    super('unauthorized_client', description, options)
  }
}

/** The user did not approve (400). */
export class AccessDenied extends AuthError {
  constructor(description = 'The request was not approved.', options?: AuthErrorOptions) {
    super('access_denied', description, options)
  }
}

/** Client authentication failed (401 with a Basic challenge, RFC 6749 §5.2). */
export class InvalidClient extends AuthError {
  constructor(description = 'Client authentication failed.', options?: AuthErrorOptions) {
    super('invalid_client', description, options)
  }
}

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
    error: 'invalid_token' | 'invalid_session' = 'invalid_token',
    description = 'The credentials are missing or not valid.',
    readonly absent = false,
    options?: AuthErrorOptions
  ) {
    super(error, description, options)
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
}

/** An unsafe request of a session came without the session's CSRF token (403). */
export class CsrfTokenMismatch extends AuthError {
  constructor(
    description = 'The CSRF token is missing or does not match.',
    options?: AuthErrorOptions
  ) {
    super('csrf_token_mismatch', description, options)
  }
}

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
export class ServerError extends AuthError {
  constructor(
    description = 'The server failed to handle the request.',
    options?: AuthErrorOptions
  ) {
    super('server_error', description, options)
  }
}

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
