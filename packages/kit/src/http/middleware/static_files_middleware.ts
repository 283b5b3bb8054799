import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import StaticMiddleware from '@adonisjs/static/static_middleware'

import { StaticFiles } from '#http/static_files'

/** A fingerprinted address never gets other content. */
const FOR_A_YEAR = 'public, max-age=31536000, immutable'

/** AdonisJS's static files, without a look at the disk for requests that mean no file. */
@inject()
export default class StaticFilesMiddleware {
  constructor(
    protected files: StaticFiles,
    protected server: StaticMiddleware
  ) {}

  handle(ctx: HttpContext, next: NextFn) {
    const path = ctx.request.url()
    if (!this.files.mayHave(path)) {
      return next()
    }
    const address = ctx.request.url(true)
    if (address !== path && address === this.files.addressOf(path)) {
      ctx.response.response.setHeader('Cache-Control', FOR_A_YEAR)
    }
    return this.server.handle(ctx, next)
  }
}
