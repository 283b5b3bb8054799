/*
|--------------------------------------------------------------------------
| Views of accounts
|--------------------------------------------------------------------------
|
| Values for the pages of people who can sign in.
|
*/

import app from '@adonisjs/core/services/app'
import type { HttpRequest } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'
import edge from 'edge.js'

import { AuthorizationServer } from 'adonis-auth-kit/oauth2/authorization_server'
import type { SecurityLogRecord } from 'adonis-auth-kit/security_log/types'
import { currentViewer } from 'adonis-auth-kit/session/current_viewer'
import type { Device } from 'adonis-auth-kit/support/device'
import { currentWords, deviceInWords } from 'adonis-auth-kit/support/words'

/** Whether people can have accounts here: without sessions they cannot. */
const manager = await app.container.make('auth_manager')
const hasAccounts = manager.feature('sessions') !== undefined
edge.global('hasAccounts', hasAccounts)

edge.global('currentViewer', ({ ctx }: HttpRequest) => currentViewer(ctx!))

/** The pages of the account, in their order, with the keys of their labels. */
edge.global(
  'accountPages',
  [
    { href: '/account', label: 'pages.account.profile.link' },
    manager.feature('emailVerification') && {
      href: '/account/email',
      label: 'pages.account.email.link',
    },
    { href: '/account/password', label: 'pages.account.password.link' },
    manager.feature('twoFactor') && { href: '/account/two-factor', label: 'two_factor.link' },
    { href: '/account/sessions', label: 'pages.account.sessions.link' },
    manager.feature('passkeys') && { href: '/account/passkeys', label: 'passkeys.link' },
    manager.feature('apiTokens') && { href: '/account/tokens', label: 'pages.account.tokens.link' },
    app.container.hasBinding(AuthorizationServer) && {
      href: '/account/access-tokens',
      label: 'pages.account.access_tokens.link',
    },
    manager.feature('securityLog') && {
      href: '/account/security',
      label: 'pages.account.security.link',
    },
    manager.feature('connectedApps') && {
      href: '/account/connected-apps',
      label: 'pages.account.apps.link',
    },
    { href: '/account/delete', label: 'pages.account.delete.link' },
  ].filter(Boolean)
)

/** What a security event says. One that has no words of its own is said by its name. */
edge.global(
  'securityEventWords',
  ({ type, details }: Pick<SecurityLogRecord, 'type' | 'details'>) =>
    currentWords(i18nManager).t(`pages.account.security.events.${type}`, details, type)
)

/** A browser and its system in words. */
edge.global('deviceWords', (device: Device) => deviceInWords(device, currentWords(i18nManager)))
