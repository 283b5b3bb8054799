import type { HttpContext } from '@adonisjs/core/http'

import type { Users } from '#auth/users'

/** What other features ask about verified e-mail addresses. */
export interface VerifiedAddresses {
  /** Whether people without a verified address cannot sign in. */
  readonly isRequired: boolean

  /** Whose addresses they are. */
  readonly users: Users

  isVerified(user: unknown): boolean

  /**
   * Marks the user's address as verified, and records it as a security event of the request.
   * Call `manager.accountAccess.firstArrival` instead where the owner arrives.
   *
   * @returns false when the address was verified or changed meanwhile
   */
  markVerified(user: unknown, ctx?: HttpContext): Promise<boolean>

  /** Forgets the address that the user wants to have instead: its link does not work any more. */
  forgetProposal(user: unknown): Promise<void>

  /**
   * Sends a link to the user's address while it is not verified, and to the proposed
   * one afterwards, if there is one. The mail goes out after the reply.
   *
   * @throws {Throttled} when this user or this address has been sent too many
   */
  sendLink(user: unknown, ctx: HttpContext): Promise<void>

  /** Sends a link like `sendLink`, or none when too many have been sent. */
  trySendLink(user: unknown, ctx: HttpContext): Promise<void>

  /**
   * Lets a user sign in, or sends another link.
   *
   * @throws {EmailNotVerified} when sign-in needs a verified address and the user has none
   */
  assertMaySignIn(user: unknown, ctx: HttpContext): Promise<void>
}

declare module '#auth/features' {
  interface AuthFeatures {
    emailVerification: VerifiedAddresses
  }
}
