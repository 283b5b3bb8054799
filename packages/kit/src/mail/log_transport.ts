import { randomUUID } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { MailResponse } from '@adonisjs/mail'
import type { MailTransportContract, NodeMailerMessage } from '@adonisjs/mail/types'

/** Logs mails, to open their links in development; in production without the text, which may hold secrets. */
export class LogTransport implements MailTransportContract {
  async send({ subject, text, ...message }: NodeMailerMessage) {
    const to = [message.to ?? []].flat()
    if (app.inProduction) {
      logger.warn({ to, subject }, 'A mail was not sent: MAIL_MAILER=log is for development')
    } else {
      const addresses = to.map((one) => (typeof one === 'string' ? one : one.address))
      logger.info(`Mail to ${addresses.join(', ')}: ${subject}\n\n${text}`)
    }
    return new MailResponse(randomUUID(), { from: '', to: [] }, undefined)
  }
}
