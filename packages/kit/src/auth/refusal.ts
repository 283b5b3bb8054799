import type { HttpContext } from '@adonisjs/core/http'
import type { EventsList } from '@adonisjs/core/types'

import { type AuthError, type Unauthenticated, InvalidToken } from '#auth/errors'
import type { AuthErrorCode } from '#auth/error_codes'

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
