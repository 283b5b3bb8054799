import type { HttpContext } from '@adonisjs/core/http'

import { AuthError, ServerError, TemporarilyUnavailable } from '#auth/errors'
import { renderErrors } from '#json_api/errors'
import { isJsonApiRoute } from '#json_api/middleware/json_api_middleware'
import { asksForJsonApi } from '#json_api/negotiation'
import { isOAuthEndpoint } from '#oauth2/protocol_error'
import { DATABASE_RETRY_AFTER, isDatabaseUnavailable } from '#database/unavailable'
import { clientEndpoint, isMarked } from '#http/route_marks'
import { wantsPage } from '#http/wants_page'

const page = (requestId = '') => `<!doctype html>
<html lang="en">
  <meta charset="utf-8" />
  <title>Something went wrong</title>
  <h1>Something went wrong</h1>
  <p>The mistake is on our side. Try again in a moment.</p>
  <p><a href="">Try again</a> <a href="/">Go to the start page</a></p>
  <p><small>${requestId}</small></p>
</html>
`

/** Answers when the answer to an error has failed as well, without views and sessions. */
export function answerPlainly(errors: unknown[], ctx: HttpContext): void {
  const { response, route } = ctx
  const failure: AuthError = errors.some(isUnavailable)
    ? new TemporarilyUnavailable(DATABASE_RETRY_AFTER)
    : new ServerError()

  response.removeHeader('Location').removeHeader('Content-Type')
  if (isJsonApiRoute(route) || asksForJsonApi(ctx.request)) {
    return renderErrors(failure, ctx)
  }
  if (wantsPage(ctx) && !isMarked(route, clientEndpoint)) {
    failure.handle(failure, ctx)
    return response.type('html').send(page(ctx.request.id()?.replace(/[^\w-]/g, '')))
  }
  if (failure.status === 503 || isOAuthEndpoint(ctx)) {
    return failure.handle(failure, ctx)
  }
  response.status(500).send({ message: 'Internal server error' })
}

function isUnavailable(error: unknown) {
  return (error instanceof AuthError && error.status === 503) || isDatabaseUnavailable(error)
}
