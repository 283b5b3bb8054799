import type { HttpContext } from '@adonisjs/core/http'

/** What is throttled; each has its limits in `config/throttle.ts`. */
export type ThrottledAction = 'failedLogins' | 'failedClientAuthentications' | 'passwordMails'

/** Counts failures, and refuses whoever has had too many. */
export interface Throttle {
  /**
   * Makes an attempt, unless its subject has failed too often from the
   * caller's address, or the address has with all subjects. An attempt that
   * gives null has failed and is counted; a successful one never is.
   *
   * @param subject who the attempt is about: an e-mail or a client id
   * @throws {Throttled} when there were too many failures
   */
  guard<Result>(
    action: ThrottledAction,
    subject: string,
    ctx: HttpContext,
    attempt: () => Promise<Result | null>
  ): Promise<Result | null>

  /**
   * Counts a failure.
   *
   * @param subject who the attempt was about; null when it is about the address alone
   * @throws {Throttled} when there had been too many before
   */
  penalize(action: ThrottledAction, subject: string | null, ctx: HttpContext): Promise<void>
}
