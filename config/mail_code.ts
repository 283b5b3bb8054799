import { defineConfig } from 'adonis-auth-kit/mail_code/define_config'
import env from '#start/env'

/** Codes by mail, to sign in without a password, and after one. */
export default defineConfig({
  /** Whether people can sign in, and confirm that it is them, by a code that is sent to their address. */
  signIn: env.get('MAIL_CODE_SIGN_IN', false),

  /** Whom a code is asked of after the password: true for everybody, or a function of the user. */
  afterPassword: false,

  /** Minutes that a code works. */
  expire: 10,

  /** Where codes are kept: "database", "memory" (this process alone, until it ends), or "instance" with a store of your own under `instance`. */
  store: 'database',

  /** Connection of the store "database", by its name in config/database.ts; undefined: the default connection. */
  connection: undefined,

  /** Delivers codes. */
  async notifier(email, { code, link, minutes }) {
    const { default: mail } = await import('@adonisjs/mail/services/main')
    const { WordedMail } = await import('adonis-auth-kit/mail')
    const values = { code, minutes }
    await mail.send(new WordedMail(email, { words: 'mails.mail_code', values, link }))
  },
})
