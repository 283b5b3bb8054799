import app from '@adonisjs/core/services/app'
import { defineConfig, transports } from '@adonisjs/mail'
import type { InferMailers } from '@adonisjs/mail/types'

import { appName } from '#config/app'
import { LogTransport } from 'adonis-auth-kit/mail'
import env from '#start/env'

/** Milliseconds. A mail server that says nothing must not hold up a shutdown. */
const PATIENCE = 10_000

const user = env.get('SMTP_USERNAME')

const mailConfig = defineConfig({
  default: env.get('MAIL_MAILER', app.inProduction ? 'smtp' : 'log'),

  from: {
    address: env.get('MAIL_FROM', `no-reply@${new URL(env.get('APP_URL')).hostname}`),
    name: appName,
  },

  mailers: {
    /** Prints mails to the log. */
    log: () => new LogTransport(),

    smtp: transports.smtp({
      host: env.get('SMTP_HOST', 'localhost'),
      port: env.get('SMTP_PORT', 587),
      /** True for TLS from the start, as on port 465. Otherwise STARTTLS is used where the server offers it. */
      secure: env.get('SMTP_SECURE', false),
      auth: user ? { type: 'login', user, pass: env.get('SMTP_PASSWORD', '') } : undefined,
      connectionTimeout: PATIENCE,
      greetingTimeout: PATIENCE,
      socketTimeout: PATIENCE,
    }),
  },
})

export default mailConfig

declare module '@adonisjs/mail/types' {
  export interface MailersList extends InferMailers<typeof mailConfig> {}
}
