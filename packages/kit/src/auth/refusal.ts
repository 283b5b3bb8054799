import { type Unauthenticated, InvalidToken } from '#auth/errors'

/**
 * Why a guard did not recognise the caller. A value and not an exception: a
 * guard refuses every request that another guard recognises, and an exception
 * with its stack costs more than the rest of the guard. The error is made when
 * the refusal leaves to the caller.
 */
export class Refusal {
  /**
   * @param toError makes the error that tells the caller
   * @param absent whether the request carried no credentials for the guard at all
   */
  constructor(
    readonly toError: () => Unauthenticated,
    readonly absent = false
  ) {}

  static from(error: Unauthenticated): Refusal {
    return new Refusal(() => error, error.absent)
  }
}

/** The request carries no token. */
export const NO_TOKEN = new Refusal(
  () => new InvalidToken(undefined, true, { reason: 'token missing' }),
  true
)

/**
 * The request carries a token that is not valid. The caller gets one answer,
 * whatever is wrong with it.
 *
 * @param reason in fixed words, for operators
 */
export function badToken(reason: string): Refusal {
  return new Refusal(() => new InvalidToken(undefined, false, { reason }))
}
