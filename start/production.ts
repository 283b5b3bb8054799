/*
|--------------------------------------------------------------------------
| Warnings of a production start
|--------------------------------------------------------------------------
|
| Settings that are right while developing and wrong in production. The server
| starts all the same, and says at every start what follows and how to mend it.
| A session cookie that is not "secure" is warned about by AuthSessionProvider.
|
*/

import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'

import { productionWarnings, readSettings } from 'adonis-auth-kit/doctor'
import env from '#start/env'

if (app.inProduction && app.getEnvironment() === 'web') {
  productionWarnings(await readSettings()).forEach((warning) => logger.warn(warning))
  if (!env.get('MAIL_MAILER') && !env.get('SMTP_HOST')) {
    logger.warn(
      'MAIL_MAILER and SMTP_HOST are not set: mails go to a mail server on this machine, and nowhere without one. Set the SMTP_* variables, or MAIL_MAILER=smtp where there is one.'
    )
  }
}
