import { WordedMail } from '#mail/worded_mail'

export default class PasswordResetMail extends WordedMail {
  /** @param options `url` is where people reach the application; `expire` is in minutes */
  constructor(options: { email: string; token: string; url: string; expire: number }) {
    const link = new URL('/password/reset', options.url)
    link.search = new URLSearchParams({ token: options.token, email: options.email }).toString()
    super(options.email, {
      words: 'mails.password_reset',
      values: { minutes: options.expire },
      link: link.href,
    })
  }
}
