/*
|--------------------------------------------------------------------------
| Views
|--------------------------------------------------------------------------
|
| Values that every page can use.
|
*/

import app from '@adonisjs/core/services/app'
import type { HttpContext, HttpRequest } from '@adonisjs/core/http'
import edge from 'edge.js'

import { optionalUser } from '#auth/protection'
import { appName } from '#config/app'
import type User from '#models/user'

const THEMES = ['light', 'dark']

edge.global('appName', appName)

/** Whether people can have accounts here: without sessions they cannot. */
const manager = await app.container.make('auth_manager')
const hasAccounts = manager.feature('sessions') !== undefined
edge.global('hasAccounts', hasAccounts)

/** The signed-in person, or null; also on pages of errors that came before anybody was asked. */
export async function currentViewer(ctx: HttpContext): Promise<User | null> {
  return hasAccounts && ctx.session ? optionalUser(ctx) : null
}

edge.global('currentViewer', ({ ctx }: HttpRequest) => currentViewer(ctx!))

/** What the switch between light and dark remembers; null to follow the system. */
edge.global('pageTheme', (request: HttpRequest): string | null => {
  const theme = String(request.cookiesList().theme)
  return THEMES.includes(theme) ? theme : null
})

/** The pages of the account, in their order. */
edge.global(
  'accountPages',
  [
    { href: '/account', label: 'Profile' },
    { href: '/account/password', label: 'Password' },
    manager.feature('apiTokens') && { href: '/account/tokens', label: 'API tokens' },
    { href: '/account/delete', label: 'Delete account' },
  ].filter(Boolean)
)
