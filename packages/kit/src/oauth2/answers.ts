import type { HttpContext } from '@adonisjs/core/http'

/** Forbids caching (RFC 6749 §5.1). */
export function neverCached({ response }: HttpContext): HttpContext['response'] {
  return response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
}

/** Not cached, and its URL not sent to other sites (RFC 9700 §4.2.4). */
export function keepPrivate(ctx: HttpContext): void {
  neverCached(ctx).header('Referrer-Policy', 'same-origin')
}

/** 303, so that a form's fields never follow the redirect (RFC 9700 §4.12). */
export function redirect({ response }: HttpContext, location: string): void {
  response.header('Location', location).status(303).send('')
}

/** A redirect to another site; a refresh from own pages, whose `form-action` forbids redirects. */
export function leave(ctx: HttpContext, location: string): void {
  if (ctx.request.header('sec-fetch-site') === 'same-origin') {
    ctx.response.header('Refresh', `0; url=${location}`).status(200).send('')
  } else {
    redirect(ctx, location)
  }
}
