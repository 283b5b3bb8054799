/*
|--------------------------------------------------------------------------
| Events
|--------------------------------------------------------------------------
|
| Listeners run in the background. A listener that fails is logged; without this
| handler its unhandled rejection would end the process.
|
*/

import emitter from '@adonisjs/core/services/emitter'
import logger from '@adonisjs/core/services/logger'

emitter.onError((event, error) => {
  logger.error({ err: error }, `A listener of "${String(event)}" has failed`)
})
