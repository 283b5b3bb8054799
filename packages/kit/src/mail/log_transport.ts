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
  async send(message: NodeMailerMessage) {
    const { subject, text } = message
    const to = [message.to ?? []].flat()

    if (app.inProduction) {
      logger.warn({ to, subject }, 'A mail was not sent: MAIL_MAILER=log is for development')
    } else {
      logger.info(`Mail to ${to.map(addressOf).join(', ')}: ${subject}\n\n${text}`)
    }
    return new MailResponse(randomUUID(), { from: '', to: [] }, undefined)
  }
}

function addressOf(recipient: string | { address: string }) {
  return typeof recipient === 'string' ? recipient : recipient.address
}
