import type { HttpContext } from '@adonisjs/core/http'

/**
 * Whether the response should be a page: `Accept` names `text/html` and does not
 * prefer JSON. Wildcards alone, which command-line clients send, get JSON.
 */
export function wantsPage({ request }: Pick<HttpContext, 'request'>): boolean {
  const accept = request.header('accept') ?? ''
  return accept.includes('text/html') && request.accepts(['html', 'json']) === 'html'
}
