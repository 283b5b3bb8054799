import { randomUUID } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { MailResponse } from '@adonisjs/mail'
import type { MailTransportContract, NodeMailerMessage } from '@adonisjs/mail/types'

/**
 * Writes mails to the log instead of sending them, so that their links can be opened in
 * development. In production the text is left out of the log, because it may contain secrets.
 */
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
