import { RuntimeException, Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import { type ChallengeDetails, challengeFor, inEveryScheme } from '#auth/challenge'
import { type AuthErrorCode, ERRORS, usual } from '#auth/error_codes'

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

/* RFC 6749 §5.2, RFC 7591 §3.2.2 of registrations, RFC 8707 §2 of resources. */
export class InvalidRequest extends errorOf('invalid_request') {}
export class InvalidGrant extends errorOf('invalid_grant') {}
export class InvalidScope extends errorOf('invalid_scope') {}
export class InvalidTarget extends errorOf('invalid_target') {}
export class UnsupportedGrantType extends errorOf('unsupported_grant_type') {}
export class UnsupportedResponseType extends errorOf('unsupported_response_type') {}
export class UnauthorizedClient extends errorOf('unauthorized_client') {}
export class AccessDenied extends errorOf('access_denied') {}
export class InvalidClient extends errorOf('invalid_client') {}
export class InvalidRedirectUri extends errorOf('invalid_redirect_uri') {}
export class InvalidClientMetadata extends errorOf('invalid_client_metadata') {}

/* The request does not let the user be asked (OpenID Connect Core 1.0 §3.1.2.6). */
export class LoginRequired extends errorOf('login_required') {}
export class ConsentRequired extends errorOf('consent_required') {}
export class InteractionRequired extends errorOf('interaction_required') {}
/** No authorization request waits under this handle for this user. */
export class UnknownAuthorization extends errorOf('unknown_authorization') {}
export class CsrfTokenMismatch extends errorOf('csrf_token_mismatch') {}
export class EmailNotVerified extends errorOf('email_not_verified') {}
/** The user has to prove again who they are: `POST /confirm`. */
export class ConfirmationRequired extends errorOf('confirmation_required') {}

/** People of this domain sign in through their own provider: `POST` to `signIn` begins it. */
export class ProviderRequired extends AuthError {
  readonly signIn: string

  constructor(readonly provider: string) {
    super('provider_required')
    this.signIn = `/auth/${provider}`
  }

  override handle(error: this, ctx: HttpContext) {
    super.handle(error, ctx)
    const { error: code, description, signIn } = error
    ctx.response.send({ error: code, error_description: description, sign_in: signIn })
  }
}

/** An unexpected failure (RFC 6749 §4.1.2.1). The cause is in the log only. */
export class ServerError extends errorOf('server_error') {}

/** Request objects are not supported (OpenID Connect Core 1.0 §3.1.2.6). */
export class RequestNotSupported extends AuthError {
  constructor(parameter: 'request' | 'request_uri') {
    super(`${parameter}_not_supported`)
  }
}

/**
 * A guard does not recognise the caller (401). A guard of your own extends it and names its challenge.
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
    const { challenge, absent, description } = this
    const details = absent ? {} : ({ error: 'invalid_token', description } as const)
    return challenge === 'Bearer' ? details : null
  }
}

/** There is no valid token (401 with a Bearer challenge, RFC 6750 §3). */
export class InvalidToken extends Unauthenticated {
  constructor(description = usual('invalid_token'), absent = false, options?: AuthErrorOptions) {
    super('invalid_token', description, absent, options)
  }
}

/** There is no authenticated session, or a login failed (401). */
export class InvalidSession extends Unauthenticated {
  constructor(description = usual('invalid_session'), options?: AuthErrorOptions) {
    super('invalid_session', description, true, options)
  }
}

/** The password is right and not enough (401): send the credentials of the step along with it. */
export class LoginStepRequired extends Unauthenticated {
  constructor(readonly step: string) {
    super('login_step_required', `Signing in takes another step: ${step}.`)
  }
}

/** The token lacks a scope (403, RFC 6750 §3.1). */
export class InsufficientScope extends AuthError {
  readonly scopes: readonly string[]

  constructor(
    description?: string,
    options: AuthErrorOptions & { scopes?: readonly string[] } = {}
  ) {
    super('insufficient_scope', description, options)
    this.scopes = options.scopes ?? []
  }

  protected override get challengeDetails(): ChallengeDetails {
    return { error: 'insufficient_scope', description: this.description, scopes: this.scopes }
  }
}

class NotNow extends AuthError {
  /** @param retryAfter seconds until then */
  constructor(
    code: AuthErrorCode,
    readonly retryAfter: number,
    description?: string,
    options?: AuthErrorOptions
  ) {
    super(code, description, options)
  }

  override get headers(): Record<string, string> {
    return { ...super.headers, 'Retry-After': String(Math.max(1, Math.ceil(this.retryAfter))) }
  }
}

export class Throttled extends NotNow {
  constructor(retryAfter: number, description?: string) {
    super('throttled', retryAfter, description)
  }
}

/** The server cannot handle the request at the moment (RFC 6749 §4.1.2.1). */
export class TemporarilyUnavailable extends NotNow {
  constructor(retryAfter: number, description?: string, options?: AuthErrorOptions) {
    super('temporarily_unavailable', retryAfter, description, options)
  }

  /** Called by AdonisJS. A busy server refuses many requests: a line each, without a stack. */
  report({ retryAfter, reason }: this, { logger }: HttpContext) {
    logger.warn({ retryAfter }, reason)
  }
}

/** A driver belongs to a provider that is not registered. */
export class FeatureNotRegistered extends RuntimeException {
  constructor(requiredBy: string, driver: string, provider: { name: string; file: string }) {
    super(
      `${requiredBy} uses the driver "${driver}", which belongs to ${provider.name}. ` +
        `Add () => import('adonis-auth-kit/providers/${provider.file}') to the providers in adonisrc.ts, after AuthProvider.`
    )
  }
}
