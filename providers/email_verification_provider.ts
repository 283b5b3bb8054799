import KitEmailVerificationProvider from 'adonis-auth-kit/providers/email_verification_provider'

/**
 * Verified e-mail addresses: links, their pages and `middleware.verified()`, `config/email_verification.ts`.
 * Needs AuthProvider.
 */
export default class EmailVerificationProvider extends KitEmailVerificationProvider {}
