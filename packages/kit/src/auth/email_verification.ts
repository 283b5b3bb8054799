import type { HttpContext } from '@adonisjs/core/http'

/** What other features ask about verified e-mail addresses. */
export interface VerifiedAddresses {
  /** Whether people without a verified address cannot sign in. */
  readonly isRequired: boolean

  isVerified(user: unknown): boolean

  /**
   * Sends a link that verifies the user's address, if there is one to verify. The mail goes out after the reply.
   *
   * @throws {Throttled} when this user or this address has been sent too many
   */
  sendLink(user: unknown, ctx: HttpContext): Promise<void>

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
