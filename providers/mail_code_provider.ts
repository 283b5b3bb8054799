import KitMailCodeProvider from 'adonis-auth-kit/providers/mail_code_provider'

/**
 * Codes by mail, to sign in and to confirm with, by `config/mail_code.ts`. Needs AuthProvider
 * before it, and AuthSessionProvider for its pages.
 */
export default class MailCodeProvider extends KitMailCodeProvider {}
