import type { HttpContext } from '@adonisjs/core/http'

/**
 * Whether the caller wants a page: its `Accept` names `text/html` and does not
 * prefer JSON. Wildcards alone, as command-line clients send them, get JSON.
 */
export function wantsPage({ request }: Pick<HttpContext, 'request'>): boolean {
  const accept = request.header('accept') ?? ''
  return accept.includes('text/html') && request.accepts(['html', 'json']) === 'html'
}
