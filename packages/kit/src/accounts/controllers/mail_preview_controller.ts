import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { mailPreviews } from '#accounts/mail_previews'
import { assertFound } from '#http/errors'

/** What every mail looks like, for who develops the application. */
export default class MailPreviewController {
  async index(ctx: HttpContext) {
    assertFound(!app.inProduction, ctx)
    return ctx.view.render('pages/dev/mails', { names: Object.keys(mailPreviews(ctx)) })
  }

  async show(ctx: HttpContext) {
    assertFound(!app.inProduction, ctx)
    const [, name, isText] = /^([\w.]+?)(\.txt)?$/.exec(ctx.params.name) ?? []
    const mail = Object.entries(mailPreviews(ctx)).find(([key]) => key === name)?.[1]()
    assertFound(mail !== undefined, ctx)
    await mail.build()
    await mail.message.computeContents()
    const { html, text } = mail.message.toJSON().message
    /* Mails carry their styles with them, as mail clients want it. */
    ctx.response.header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'")
    return ctx.response
      .type(isText ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8')
      .send(isText ? text : html)
  }
}
