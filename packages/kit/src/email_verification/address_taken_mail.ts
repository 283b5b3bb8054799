import { WordedMail, linkTo } from '#mail/worded_mail'

/** Tells the owner of an account that somebody wanted its address for another one. */
export default class AddressTakenMail extends WordedMail {
  constructor(email: string) {
    super(email, { words: 'mails.address_taken', link: linkTo('session.create') })
  }
}
