import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { BodyReader, type FilesOptions } from '#http/body/body_reader'

/**
 * `middleware.files({ limit: '5mb', maxFiles: 2 })`, behind the one that says who may send files. They are deleted after
 * the response, unless they were moved.
 */
@inject()
export default class FilesMiddleware {
  constructor(protected reader: BodyReader) {}

  async handle(ctx: HttpContext, next: NextFn, options: FilesOptions = {}) {
    const { authenticator } = ctx as Partial<HttpContext>
    const began = performance.now()
    await this.reader.readFiles(ctx, options)
    await authenticator?.assertValidSince(began)
    return next()
  }
}
