import KitMailCodeProvider from 'adonis-auth-kit/providers/mail_code_provider'

/** Codes by mail, `config/mail_code.ts`. Needs AuthSessionProvider. */
export default class MailCodeProvider extends KitMailCodeProvider {}
