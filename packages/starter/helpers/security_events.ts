import mail from '@adonisjs/mail/services/main'

import SecurityMail from '#kit/accounts/security_mail'
import { afterReplies } from '#starter/helpers/passwords'
import type { Visitor } from '#starter/helpers/visitor'

/** What a person reads in the log of their account, the newest first. */
export async function eventsSeenBy(visitor: Visitor) {
  const response = await visitor.get('/account/security')
  return ((await response.json()) as any).events as any[]
}

export const typesSeenBy = async (visitor: Visitor) =>
  (await eventsSeenBy(visitor)).map(({ type }) => type)

/** The subjects of the security mails that an address gets while something runs. */
export async function mailsTo(email: string, run: () => Promise<unknown>) {
  await afterReplies()
  const { mails } = mail.fake()
  await run()
  await afterReplies()
  const subjects = mails
    .sent((sent) => sent instanceof SecurityMail && sent.message.hasTo(email))
    .map(({ message }) => message.toJSON().message.subject)
  mail.restore()
  return subjects
}
