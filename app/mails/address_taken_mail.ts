import { appUrl } from '#config/app'
import { WordedMail } from '#mails/worded_mail'

/** Tells the owner of an account that somebody wanted its address for another one. */
export default class AddressTakenMail extends WordedMail {
  constructor(email: string) {
    super(email, { words: 'mails.address_taken', link: new URL('/login', appUrl).href })
  }
}
