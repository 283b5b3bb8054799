import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import StaticMiddleware from '@adonisjs/static/static_middleware'

import { StaticFiles } from '#http/static_files'

/** AdonisJS's static files, without a look at the disk for requests that mean no file. */
@inject()
export default class StaticFilesMiddleware {
  constructor(
    protected files: StaticFiles,
    protected server: StaticMiddleware
  ) {}

  handle(ctx: HttpContext, next: NextFn) {
    return this.files.mayHave(ctx.request.url()) ? this.server.handle(ctx, next) : next()
  }
}
