import type { HttpContext } from '@adonisjs/core/http'

import { InvalidScope } from '#auth/errors'
import type { Decision } from '#oauth2/authorize/authorization'
import type { Client } from '#oauth2/clients/client'
import { destinationOf } from '#oauth2/clients/client_urls'
import { assertRequest, readJsonObject } from '#oauth2/parameters'
import type { ConsentQuestion } from '#oauth2/pending/pending_authorizations'
import { NoSuchContext } from '#oauth2/user_grants/chosen_context'
import { allowFormTarget } from '#http/form_target'
import { pathTo, wantsPage } from '#http/pages'

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

/**
 * A redirect to another site; a refresh from own pages, whose `form-action` forbids redirects, also those that the site
 * answers with. A form leads to an app by a redirect: its page stays where it is.
 */
export function leave(ctx: HttpContext, location: string): void {
  const isFromPage = ctx.request.header('sec-fetch-site') === 'same-origin'
  isFromPage && (ctx.request.method() !== 'POST' || /^https?:/.test(location))
    ? ctx.response.header('Refresh', `0; url=${location}`).type('html').status(200).send('')
    : redirect(ctx, location)
}

export const isForm = ({ request }: HttpContext): boolean =>
  request.is(['application/x-www-form-urlencoded']) !== null

/** What was decided: a form allows the ticked scopes, JSON without `scopes` all. @throws {InvalidRequest} */
export function readDecision(ctx: HttpContext): Decision {
  if (isForm(ctx)) {
    const { scopes = [], context } = ctx.request.body()
    const choice = context ?? ''
    assertRequest(typeof choice === 'string', 'The parameter context is given more than once.')
    return { scopes: toScopes(scopes), ...(context !== undefined && { choice }) }
  }
  const { scopes = null, context } = readJsonObject(ctx.request)
  const chosen = { context: context as Decision['context'] }
  return scopes === null ? chosen : { ...chosen, scopes: toScopes(scopes) }
}

function toScopes(value: unknown): string[] {
  const isList = Array.isArray(value) && value.every((scope) => typeof scope === 'string')
  assertRequest(isList, 'The member scopes must be a list of texts.')
  return [...new Set<string>(value)]
}

/** Shows a page again if nothing was ticked, or the chosen context is gone, with what was posted. @throws any other error, and all of programs */
export function showAgain(
  ctx: HttpContext,
  error: unknown,
  { scopes = [], choice }: Decision,
  render: (posted: object) => Promise<string>
): Promise<string> {
  const isGone = error instanceof NoSuchContext
  if (!wantsPage(ctx) || !(isGone || error instanceof InvalidScope)) {
    throw error
  }
  ctx.response.status(error.status)
  const kept = isGone ? { isGone } : { problem: 'none_ticked', chosen: choice }
  return render({ ticked: scopes, ...kept })
}

/**
 * The consent page that is built in. Its form leads to the client.
 * @param posted what was posted, and what is wrong with it, on the page that is shown again
 */
export async function renderConsent(
  ctx: HttpContext,
  pending: ConsentQuestion,
  posted: object = {}
): Promise<string> {
  const { request } = pending
  allowFormTarget(ctx, request.redirectTarget!)
  const page = pending.selectsAccount && !request.requiresLogin ? 'select_account' : 'consent'
  return ctx.view.render(`pages/oauth/${page}`, {
    authorization: pending.describe(),
    action: pathTo('pending_authorizations.show', [pending.handle]),
    account: request.context.user,
    question: await pending.choices(),
    canSwitch: 'logout' in ctx.authenticator.use(request.guardName),
    ...posted,
  })
}

/**
 * Leaves for a client's address: by a page with the address and a link where the client is one without an
 * operator, which anyone can be, so that nobody gets an open redirector (RFC 9700 §4.11.2).
 */
export function depart(
  ctx: HttpContext,
  client: Client,
  page: { location: string; signedOut: boolean }
) {
  if (client.source === null) {
    return leave(ctx, page.location)
  }
  const destination = destinationOf(page.location)
  const named = client.host ?? client.name
  return ctx.view.render('pages/oauth/departure', { ...page, client: named, destination })
}
