/*
|--------------------------------------------------------------------------
| Events
|--------------------------------------------------------------------------
|
| Nobody waits for the listeners of an event. One that fails is logged, and
| does not bring the process down as a rejection that nobody handles.
|
*/

import emitter from '@adonisjs/core/services/emitter'
import logger from '@adonisjs/core/services/logger'

emitter.onError((event, error) => {
  logger.error({ err: error }, `A listener of "${String(event)}" has failed`)
})
