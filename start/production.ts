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

if (app.inProduction && app.getEnvironment() === 'web') {
  productionWarnings(await readSettings()).forEach((warning) => logger.warn(warning))
}
