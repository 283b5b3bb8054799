/*
|--------------------------------------------------------------------------
| Events
|--------------------------------------------------------------------------
|
| Listeners run in the background. A listener that fails is logged; without this
| handler its unhandled rejection would end the process.
|
*/

import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import logger from '@adonisjs/core/services/logger'
import mail from '@adonisjs/mail/services/main'

import SecurityMail from 'adonis-auth-kit/accounts/security_mail'
import { Background } from 'adonis-auth-kit/process'

emitter.onError((event, error) => {
  logger.error({ err: error }, `A listener of "${String(event)}" has failed`)
})

/* feature: session */
/* People are told of what could be somebody else's doing. */
emitter.on('auth:security_event', async (event) => {
  if (SecurityMail.isFor(event.type)) {
    const background = await app.container.make(Background)
    background.afterReply(event.ctx.response, `tell a person of "${event.type}"`, async () => {
      await mail.send(new SecurityMail(event))
    })
  }
})
/* /feature */
