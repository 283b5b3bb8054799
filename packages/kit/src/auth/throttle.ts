import type { HttpContext } from '@adonisjs/core/http'

import type { DeviceStamp, Stamps } from '#auth/known_device'

/**
 * What is throttled, by name. Add actions of your own with
 * `declare module '#auth/throttle'`, and their limits in `config/throttle.ts`.
 */
export interface ThrottledActions {
  failedLogins: true
  failedSecondFactors: true
  failedClientAuthentications: true
  passwordMails: true
  registrations: true
  verificationMails: true
  clientRegistrations: true
  clientDocuments: true
  pushedRequests: true
  deviceAuthorizations: true
  deviceUserCodes: true
  workspaces: true
  mcpCalls: true
  anonymousMcpCalls: true
}

export type ThrottledAction = keyof ThrottledActions

/** Counts failed attempts, and refuses callers that have made too many. */
export interface Throttle {
  /**
   * Makes an attempt, unless too many attempts about its subject or from the caller's address have
   * failed. An attempt that gives null has failed and is counted; a successful one never is.
   * @param subject who the attempt is about: a username or a client id
   * @throws {Throttled} when there were too many failures
   */
  attempt<Result>(
    action: ThrottledAction,
    subject: string,
    ctx: HttpContext,
    run: () => Promise<Result | null>,
    stamps?: Stamps
  ): Promise<Result | null>
  /**
   * Counts a failure, or a request that is limited whether it fails or not.
   * @param subject who the attempt was about; null when only the address counts
   * @throws {Throttled} when there had been too many before
   */
  penalize(action: ThrottledAction, subject: string | null, ctx: HttpContext): Promise<void>
  /**
   * Remembers that the caller's device has succeeded with this subject: its failures about the
   * subject are counted apart from those of all other callers.
   * @param stamp changes when the trust has to end, e.g. with the password. Default: it never does.
   */
  trustDevice(action: ThrottledAction, subject: string, ctx: HttpContext, stamp?: DeviceStamp): void
}
