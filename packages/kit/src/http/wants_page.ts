import type { HttpContext } from '@adonisjs/core/http'

/** Whether `Accept` names `text/html` and does not prefer JSON. Wildcards alone, as of command-line clients, get JSON. */
export function wantsPage({ request }: Pick<HttpContext, 'request'>): boolean {
  const accept = request.header('accept') ?? ''
  return accept.includes('text/html') && request.accepts(['html', 'json']) === 'html'
}

/** The page that follows for a person, and the key of the words that it shows once. */
interface Next {
  path: string
  words: string
  values?: Record<string, unknown>
}

/** Says that something is done: to a program as JSON (204 for null), to a person on the page that follows. */
export function answerDone(ctx: HttpContext, json: object | null, next: Next) {
  if (wantsPage(ctx)) {
    return goOn(ctx, 'success', next)
  }
  return json === null ? ctx.response.noContent() : ctx.response.ok(json)
}

/** To a program by the error, to a person on the page that follows. @throws the error, unless a page is wanted */
export function answerRefused(ctx: HttpContext, error: Error, next: Next) {
  if (!wantsPage(ctx)) {
    throw error
  }
  return goOn(ctx, 'error', next)
}

function goOn(ctx: HttpContext, kind: 'success' | 'error', { path, words, values }: Next) {
  ctx.session.flash(kind, ctx.i18n.t(words, values))
  return ctx.response.redirect().toPath(path)
}
