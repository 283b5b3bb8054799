import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { developmentNotes } from '#services/development_notes'
import { documents } from '#services/documentation'
import { wantsPage } from 'adonis-auth-kit/http'

export default class StartController {
  /** A start page for browsers. Every other caller gets an empty answer. */
  async show(ctx: HttpContext) {
    ctx.response.vary('Accept')
    if (!wantsPage(ctx)) {
      return ctx.response.ok('')
    }
    return ctx.view.render('pages/start', {
      documents: documents(),
      notes: app.inDev ? developmentNotes() : [],
    })
  }
}
