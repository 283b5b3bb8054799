import KitEmailVerificationProvider from 'adonis-auth-kit/providers/email_verification_provider'

/**
 * Verified addresses: links, their pages and `middleware.verified()`, by
 * `config/email_verification.ts`. Needs AuthProvider before it, and AuthSessionProvider for its
 * pages.
 */
export default class EmailVerificationProvider extends KitEmailVerificationProvider {}
