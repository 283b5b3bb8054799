import { Exception } from '@adonisjs/core/exceptions'
import { errors, ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import { errors as vineErrors } from '@vinejs/vine'
import type { HttpError, StatusPageRange, StatusPageRenderer } from '@adonisjs/core/types/http'

import { AuthError, ServerError, TemporarilyUnavailable } from '#auth/errors'
import { DATABASE_RETRY_AFTER, isDatabaseUnavailable, isRefusedValue } from '#database/errors'
import { isReading, previousPage, wantsPage } from '#http/pages'
import { isOAuthEndpoint, reportOAuthRefusal, toOAuthProtocolError } from '#oauth2/protocol_error'
import { clientEndpoint, isMarked, refusesMethods } from '#http/route_marks'
import { MalformedBody } from '#http/errors'
import { MISSING, isViolation, renderErrors } from '#json_api/errors'
import { asksForJsonApi } from '#json_api/negotiation'
import { isLedOn, keepTyped, shareViewer } from '#exceptions/account_pages'
import { isJsonApiRoute } from '#json_api/middleware/json_api_middleware'

const ERROR_PAGE: StatusPageRenderer = async (error, ctx) => {
  await shareViewer(ctx)
  error.code === 'csrf_token_mismatch' && keepTyped(ctx)
  const { request } = ctx
  const page = await ctx.view.render('pages/error', {
    status: error.status,
    code: error.code,
    back: previousPage(ctx),
    retry: error.status! >= 429 && request.method() === 'GET' ? request.url(true) : null,
    requestId: request.id(),
  })
  ctx.response.status(error.status!).send(page)
}

/** Answers errors as a page or as JSON, by the caller's `Accept`; on JSON:API routes as a document. */
export class HttpExceptionHandler extends ExceptionHandler {
  protected override debug = app.inDev
  protected override renderStatusPages = true

  protected override statusPages: Record<StatusPageRange, StatusPageRenderer> = {
    '400..499': ERROR_PAGE,
    ...(!app.inDev && { '500..599': ERROR_PAGE }),
  }

  /** Refusals go to the debug log and to listeners, every other failure to the log. */
  override async report(error: unknown, ctx: HttpContext) {
    const refusal = toOAuthProtocolError(error, ctx) ?? (error instanceof AuthError ? error : null)
    try {
      if (isViolation(error) && isJsonApiRoute(ctx.route)) {
        /* Answered with 4xx. Without the error, whose detail has values of the row. */
        ctx.logger.warn(this.context(ctx), error.message)
        return
      }
      await (refusal && refusal.status < 500
        ? reportOAuthRefusal(refusal, ctx)
        : super.report(orMissing(error, ctx), ctx))
    } catch (failure) {
      ctx.logger.error({ err: failure }, 'Cannot report an error')
    }
  }

  /** Never fails: an error whose answer cannot be made is answered plainly. */
  override async handle(error: unknown, ctx: HttpContext) {
    try {
      return await this.#answer(orMissing(error, ctx), ctx)
    } catch (failure) {
      ctx.logger.error({ err: failure }, 'Cannot answer an error as it should be')
      return answerPlainly([error, failure], ctx)
    }
  }

  async #answer(error: unknown, ctx: HttpContext) {
    /* Of an answer that was made before: the session could not be written after it. */
    ctx.response.removeHeader('Location').removeHeader('Content-Type')
    const failure =
      toMethodNotAllowed(error, ctx) ?? toOAuthProtocolError(error, ctx) ?? toAnswerable(error)
    const { route } = failure instanceof MethodNotAllowed ? failure : ctx
    if (isJsonApiRoute(route)) {
      return renderErrors(error instanceof MalformedBody ? error : failure, ctx)
    }
    if (failure instanceof AuthError && wantsPage(ctx) && !isMarked(ctx.route, clientEndpoint)) {
      return this.#renderAuthErrorAsPage(failure, ctx)
    }
    return isDenial(failure) ? this.#renderDenial(failure, ctx) : super.handle(failure, ctx)
  }

  /** Answers programs in JSON, and a person who opens a page with one. Forms lead back, as Bouncer has it. */
  #renderDenial(denial: Denial, ctx: HttpContext) {
    const status = denial.response.status ?? denial.status!
    if (wantsPage(ctx) && isReading(ctx)) {
      return ERROR_PAGE({ ...denial, status }, ctx)
    }
    if (wantsPage(ctx) || asksForJsonApi(ctx.request)) {
      return super.handle(denial, ctx)
    }
    ctx.response.status(status).send({ errors: [{ message: denial.getResponseMessage(ctx) }] })
  }

  override renderError(error: HttpError, ctx: HttpContext) {
    if (asksForJsonApi(ctx.request)) {
      return this.renderErrorAsJSONAPI(error, ctx)
    }
    return wantsPage(ctx) ? this.renderErrorAsHTML(error, ctx) : this.renderErrorAsJSON(error, ctx)
  }

  override renderValidationError(error: HttpError, ctx: HttpContext) {
    if (asksForJsonApi(ctx.request)) {
      return this.renderErrorAsJSONAPI(error, ctx)
    }
    return wantsPage(ctx)
      ? this.renderValidationErrorAsHTML(error, ctx)
      : this.renderValidationErrorAsJSON(error, ctx)
  }

  /** The message of an unforeseen failure may name tables, files or hosts. */
  override async renderErrorAsJSON(error: HttpError, ctx: HttpContext) {
    const unforeseen = error.status! >= 500
    if (unforeseen && this.debug) {
      return super.renderErrorAsJSON(error, ctx)
    }
    const message = unforeseen ? 'Internal server error' : error.message
    ctx.response.status(error.status!).send({ message })
  }

  override async renderErrorAsJSONAPI(error: HttpError, ctx: HttpContext) {
    renderErrors(error, ctx)
  }

  /** Sends the form back with what was typed, without secrets. An unreadable body has no session yet. */
  override async renderValidationErrorAsHTML(error: HttpError, ctx: HttpContext) {
    if (!ctx.session) {
      return this.renderErrorAsHTML(error, ctx)
    }
    ctx.session.flashValidationErrors(error)
    ctx.response.redirect().toPath(previousPage(ctx) ?? '/')
  }

  /** Renders a refusal without its challenge: for `Basic`, a browser would show its own prompt. */
  async #renderAuthErrorAsPage(error: AuthError, ctx: HttpContext) {
    for (const [name, value] of Object.entries(error.headers)) {
      ctx.response.header(name, value)
    }
    ctx.response.removeHeader('WWW-Authenticate')
    if (!(await isLedOn(error, ctx))) {
      await this.renderErrorAsHTML(error as HttpError, ctx)
    }
  }
}

/** Bouncer's refusal. It would take a program that accepts anything for a browser, and a page for a text. */
interface Denial extends HttpError {
  response: { status?: number }
  getResponseMessage(ctx: HttpContext): string
}

function isDenial(error: unknown): error is Denial {
  return error instanceof Exception && error.code === 'E_AUTHORIZATION_FAILURE'
}

class MethodNotAllowed extends Exception {
  static override status = 405
  static override code = 'E_METHOD_NOT_ALLOWED'

  /** @param route of another method */
  constructor(readonly route: HttpContext['route']) {
    super('Method not allowed')
  }
}

/** The router answers 404 for a known path under another method; 405 with `Allow` is right (RFC 9110 §15.5.6). A cache could keep it (§15.1). */
function toMethodNotAllowed(error: unknown, { request, response }: HttpContext) {
  if (!(error instanceof errors.E_ROUTE_NOT_FOUND)) {
    return null
  }
  const match = (method: string) => router.match(request.url(), method, false, request.hostname())
  const allowed = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => {
    const found = match(method)
    return found && !isMarked(found.route, refusesMethods)
  })
  /* A route that is turned off takes the method and is not there all the same. */
  if (!allowed.length || allowed.includes(request.method())) {
    return null
  }
  response.header('Allow', allowed.join(', ')).header('Cache-Control', 'no-store')
  return new MethodNotAllowed(match(allowed[0]!)!.route)
}

/** An id of the path that its column cannot hold is that of no row: PostgreSQL's message quotes it, SQLite finds none. */
function orMissing(error: unknown, { params }: HttpContext) {
  const isQuoted = (id: unknown) => (error as Error).message.includes(`"${id}"`)
  const isOfPath = isRefusedValue(error) && Object.values(params).some(isQuoted)
  return isOfPath ? new Exception(MISSING.message, MISSING) : error
}

function toAnswerable(error: unknown) {
  if (error instanceof MalformedBody) {
    /* In the shape of every other complaint about a body. */
    const { message } = error
    return new vineErrors.E_VALIDATION_ERROR([{ field: '', rule: 'body', message }])
  }
  /* Busy or away: the same request may succeed a little later. */
  return isDatabaseUnavailable(error) ? new TemporarilyUnavailable(DATABASE_RETRY_AFTER) : error
}

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
function answerPlainly(failures: unknown[], ctx: HttpContext): void {
  const { response, route } = ctx
  const isUnavailable = failures.some(
    (one) => (one instanceof AuthError && one.status === 503) || isDatabaseUnavailable(one)
  )
  const failure: AuthError = isUnavailable
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
