import app from '@adonisjs/core/services/app'

import env from '#start/env'

/** What is different here from production, in words: shown on the start page in development. */
export function developmentNotes(): string[] {
  const notes: [boolean, string][] = [
    [
      env.get('MAIL_MAILER', 'log') === 'log',
      'Mails are printed in the terminal, not sent (MAIL_MAILER=log).',
    ],
    [
      app.config.get('session.secure') === false,
      'The session cookie travels over plain http (SESSION_SECURE=false).',
    ],
    [
      !app.config.get('oauth2.issuer'),
      'The OAuth issuer is the address of each request (OAUTH_ISSUER is empty).',
    ],
    [
      env.get('LIMITER_STORE', 'memory') === 'memory',
      'Failed attempts are counted in this process alone (LIMITER_STORE=memory).',
    ],
  ]
  return notes.filter(([applies]) => applies).map(([, note]) => note)
}
