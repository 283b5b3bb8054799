import { BaseMail } from '@adonisjs/mail'

import { appName, appUrl } from '#config/app'

/** Tells a person that their password was changed, in case it was not them. */
export default class PasswordChangedMail extends BaseMail {
  override subject = `Your password for ${appName} was changed`
  readonly #email: string

  constructor(email: string) {
    super()
    this.#email = email
  }

  prepare() {
    const contents = { appName, link: new URL('/password/forgot', appUrl).href }
    this.message
      .to(this.#email)
      .htmlView('mails/password_changed', contents)
      .textView('mails/password_changed_text', contents)
  }
}
