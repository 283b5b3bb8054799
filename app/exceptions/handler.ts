import { ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { HttpError } from '@adonisjs/core/types/http'

import { renderErrors } from '#json_api/errors'
import { isJsonApiRoute } from '#middleware/json_api_middleware'

export default class HttpExceptionHandler extends ExceptionHandler {
  protected override debug = app.inDev

  override async handle(error: unknown, ctx: HttpContext) {
    return isJsonApiRoute(ctx) ? renderErrors(error, ctx) : super.handle(error, ctx)
  }

  /** A caller of any route that asks for JSON:API gets its errors so. */
  override async renderErrorAsJSONAPI(error: HttpError, ctx: HttpContext) {
    renderErrors(error, ctx)
  }

  override async renderValidationErrorAsJSONAPI(error: HttpError, ctx: HttpContext) {
    renderErrors(error, ctx)
  }
}
