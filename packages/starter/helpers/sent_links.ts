import mail from '@adonisjs/mail/services/main'

import { afterReplies } from '#starter/helpers/passwords'

type MailClass = abstract new (...parameters: never[]) => object

/** The address, without its host, behind the link of a mail that is sent while something runs. */
export async function linkOf(Mail: MailClass, run: () => Promise<unknown>): Promise<string> {
  await afterReplies()
  const { mails } = mail.fake()
  try {
    await run()
    await afterReplies()
    const [sent] = mails.sent((one) => one instanceof Mail)
    const { link } = (sent as any).message.contentViews.text.data
    return link.slice(new URL(link).origin.length)
  } finally {
    mail.restore()
  }
}
