import app from '@adonisjs/core/services/app'

import { limiterStore } from '#config/limiter'
import env from '#start/env'
import { portElsewhere } from 'adonis-auth-kit/doctor'

/** What is different here from production, as names of `pages.start.notes`: shown on the start page in development. */
export function developmentNotes(): string[] {
  const notes: [boolean, string][] = [
    [env.get('MAIL_MAILER', 'log') === 'log', 'mail'],
    [app.config.get('session.secure') === false, 'insecure_cookie'],
    [app.config.get('oauth2.issuer') === null, 'issuer'],
    [portElsewhere(env.get('APP_URL'), env.get('PORT')) !== null, 'port'],
    // feature: throttle
    [limiterStore === 'memory', 'limiter'],
    // /feature
  ]
  return notes.filter(([applies]) => applies).map(([, note]) => note)
}
