import { WordedMail } from '#mail/worded_mail'

export default class VerifyAddressMail extends WordedMail {
  /** @param options.expire minutes that the link works */
  constructor({ email, link, expire }: { email: string; link: string; expire: number }) {
    super(email, {
      words: 'mails.verify_address',
      values: { hours: Math.max(1, Math.floor(expire / 60)) },
      link,
    })
  }
}
