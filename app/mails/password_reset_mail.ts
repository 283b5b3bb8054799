import { BaseMail } from '@adonisjs/mail'

/** The link with which a person sets a new password. */
export default class PasswordResetMail extends BaseMail {
  override subject = 'Set a new password'
  readonly #email: string
  readonly #contents: { link: string; minutes: number }

  /**
   * @param options.url where people reach the application
   * @param options.expire minutes that the link works
   */
  constructor(options: { email: string; token: string; url: string; expire: number }) {
    super()
    const link = new URL('/password/reset', options.url)
    link.search = new URLSearchParams({ token: options.token, email: options.email }).toString()
    this.#email = options.email
    this.#contents = { link: link.href, minutes: options.expire }
  }

  prepare() {
    this.message
      .to(this.#email)
      .htmlView('mails/password_reset', this.#contents)
      .textView('mails/password_reset_text', this.#contents)
  }
}
