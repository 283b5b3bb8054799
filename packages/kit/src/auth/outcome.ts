import type { HttpContext } from '@adonisjs/core/http'
import type { EventsList } from '@adonisjs/core/types'

import type { CredentialContext } from '#auth/credential_contexts'
import { type AuthError, type Unauthenticated, InvalidSession, InvalidToken } from '#auth/errors'
import type { GrantedScope } from '#auth/scopes'
import type { AuthErrorCode } from '#auth/error_codes'
import { assertOr } from '#process/assert_or'

/** What a user has allowed an OAuth client, as far as an application needs to know it. */
export interface AuthGrant {
  readonly id: string
  /** What the application passed at the approval, e.g. `{ workspace: 7 }`, or null. */
  readonly context: CredentialContext | null
}

/**
 * Who makes a request and what it may do. A session carries every scope (`*`): its user is present
 * in person. A client-credentials token has no user.
 */
export class AuthContext<User = any> {
  declare readonly user: User | null
  declare readonly scopes: readonly string[]
  /** The OAuth client that acts; null for sessions, API tokens and personal access tokens. */
  readonly clientId: string | null = null
  /** The access token's identifier; null for sessions and API tokens. */
  readonly jti: string | null = null
  /** The grant of the token; null where no user approved a client. */
  readonly grant: AuthGrant | null = null
  /** What the token is bound to besides its scopes. Undefined for a session: its user chooses. */
  declare readonly boundTo: CredentialContext | null | undefined

  constructor(
    fields: Pick<AuthContext<User>, 'user' | 'scopes'> &
      Partial<Pick<AuthContext, 'clientId' | 'jti' | 'grant' | 'boundTo'>>
  ) {
    Object.assign(this, fields)
  }

  /** @throws {InvalidToken} for a token without a user */
  getUserOrFail(): User {
    assertOr(this.user !== null, InvalidToken, 'The token does not belong to a user.')
    return this.user
  }

  /** Whether every one of the scopes is granted; `*` satisfies any scope. */
  can(...scopes: readonly GrantedScope[]): boolean {
    return this.canAll(...scopes)
  }

  canAll(...scopes: readonly GrantedScope[]): boolean {
    return scopes.every((scope) => this.#has(scope))
  }

  canAny(...scopes: readonly GrantedScope[]): boolean {
    return scopes.some((scope) => this.#has(scope))
  }

  #has(scope: string) {
    return this.scopes.includes('*') || this.scopes.includes(scope)
  }
}

export type UserContext<User = any> = AuthContext<User> & { readonly user: User }

/**
 * Why a guard did not recognise the caller. A value, because a guard refuses every request of
 * another guard, and an exception with its stack costs more than the rest of the guard.
 */
export class Refusal {
  /** @param absent whether the request carried no credentials for the guard at all */
  constructor(
    readonly toError: () => Unauthenticated,
    readonly absent = false
  ) {}

  static from(error: Unauthenticated): Refusal {
    return new Refusal(() => error, error.absent)
  }

  /** As of an `AuthContext`, so that who asks for a user need not tell them apart. */
  get user(): null {
    return null
  }

  getUserOrFail(): never {
    throw this.toError()
  }
}

export const NO_TOKEN = new Refusal(
  () => new InvalidToken(undefined, true, { reason: 'token missing' }),
  true
)

/** The request has no session of an active user of the guard. */
export const noSession = (reason: string) =>
  new Refusal(() => new InvalidSession(undefined, { reason }), true)

/** The request carries a token that is not valid. The response is the same for every reason. */
export function badToken(reason: string): Refusal {
  return new Refusal(() => new InvalidToken(undefined, false, { reason }))
}

/** A request that was refused. It carries nothing that the caller sent, so no secret either. */
export interface RefusedEvent {
  error: AuthErrorCode
  /** Why, in fixed words for operators. */
  reason: string
  method: string
  /** Pattern of the route; null when no route matched. */
  route: string | null
  ip: string
}

declare module '@adonisjs/core/types' {
  interface EventsList {
    'auth:refused': RefusedEvent
  }
}

type RefusedEventName = {
  [Name in keyof EventsList]: EventsList[Name] extends RefusedEvent ? Name : never
}[keyof EventsList]

/** Tells operators why a request was refused: a log line at level debug, and an event. */
export async function reportRefusal(
  { error, reason }: AuthError,
  { request, route, logger, containerResolver }: HttpContext,
  name: RefusedEventName = 'auth:refused'
): Promise<void> {
  const pattern = route?.pattern ?? null
  const event = { error, reason, method: request.method(), route: pattern, ip: request.ip() }
  logger.debug(event, 'The request was refused')
  const emitter = await containerResolver.make('emitter')
  void emitter.emit(name, event)
}
