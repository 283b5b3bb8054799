/*
|--------------------------------------------------------------------------
| Views of accounts
|--------------------------------------------------------------------------
|
| Values for the pages of people who can sign in.
|
*/

import app from '@adonisjs/core/services/app'
import { urlFor } from '@adonisjs/core/services/url_builder'
import type { HttpRequest } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'
import edge from 'edge.js'

import { AuthorizationServer } from 'adonis-auth-kit/oauth2'
import type { SecurityLogRecord } from 'adonis-auth-kit/security_log'
import { currentViewer, RequestSession } from 'adonis-auth-kit/session'
import { currentWords, preferLanguage } from 'adonis-auth-kit/http'
import type User from '#models/user'

/** Whether people can have accounts here: without sessions they cannot. */
const manager = await app.container.make('auth_manager')
const hasAccounts = manager.feature('sessions') !== undefined
edge.global('hasAccounts', hasAccounts)

edge.global('currentViewer', ({ ctx }: HttpRequest) => currentViewer(ctx!))

/** What happened to the account, as an icon. */
const EVENT_ICONS: [RegExp, string][] = [
  [/^(passkey)/, 'fingerprint'],
  [/^(two_factor|recovery)/, 'shield-check'],
  [/^token/, 'key-round'],
  [/^app/, 'plug'],
  [/^identity/, 'log-in'],
  [/^email/, 'mail'],
  [/^password/, 'lock'],
  [/^(workspace|member|invitation|role)/, 'users'],
  [/^(signed_in|new_device|sessions)/, 'monitor-smartphone'],
]

edge.global(
  'securityEventIcon',
  ({ type }: Pick<SecurityLogRecord, 'type'>) =>
    EVENT_ICONS.find(([pattern]) => pattern.test(type))?.[1] ?? 'user'
)

/** One or two letters that stand for a person. */
edge.global('initials', (name: string) =>
  name
    .split(/[\s@]+/)
    .filter(Boolean)
    .slice(0, name.includes('@') ? 1 : 2)
    .map((part) => [...part][0]!.toUpperCase())
    .join('')
)

const ownTokens = manager.feature('apiTokens') !== undefined

/**
 * The pages of the account, in their order, with the keys of their labels. A group is one of
 * `pages.layout.groups`, an icon one of components/icon.edge; pages with a `tab` are one entry with tabs.
 */
edge.global(
  'accountPages',
  [
    {
      route: 'account.profile.show',
      group: 'profile',
      icon: 'user',
      label: 'pages.account.profile.link',
    },
    manager.feature('emailVerification') && {
      route: 'account.email.email.edit',
      group: 'profile',
      icon: 'mail',
      label: 'pages.account.email.link',
    },
    manager.feature('workspaces') && {
      route: 'workspaces.index',
      group: 'profile',
      icon: 'users',
      label: 'workspaces.link',
    },
    {
      route: 'account.password.edit',
      group: 'security',
      icon: 'lock',
      label: 'pages.account.password.link',
    },
    manager.feature('twoFactor') && {
      route: 'account.two_factor.two_factor.show',
      group: 'security',
      icon: 'shield-check',
      label: 'two_factor.link',
    },
    {
      route: 'account.sessions.sessions.index',
      group: 'security',
      icon: 'monitor-smartphone',
      label: 'pages.account.sessions.link',
    },
    manager.feature('passkeys') && {
      route: 'account.passkeys.passkeys.index',
      group: 'security',
      icon: 'fingerprint',
      label: 'passkeys.link',
    },
    manager.feature('social') &&
      manager.feature('emailVerification') && {
        isOffered: () => manager.feature('social')!.isOffered(),
        route: 'account.sign_in_methods.sign_in_methods.index',
        group: 'security',
        icon: 'log-in',
        label: 'social.link',
      },
    manager.feature('apiTokens') && {
      route: 'account.tokens',
      group: 'access',
      icon: 'key-round',
      tab: 'first',
      label: 'pages.account.tokens.link',
    },
    app.container.hasBinding(AuthorizationServer) && {
      route: 'account.access_tokens.access_tokens.index',
      group: 'access',
      icon: 'key-round',
      tab: ownTokens ? 'second' : 'first',
      label: 'pages.account.access_tokens.link',
    },
    manager.feature('securityLog') && {
      route: 'security.index',
      group: 'security',
      icon: 'scroll-text',
      label: 'pages.account.security.link',
    },
    manager.feature('connectedApps') && {
      route: 'account.connected_apps',
      group: 'access',
      icon: 'plug',
      label: 'pages.account.apps.link',
    },
    {
      route: 'account.access.index',
      group: 'access',
      icon: 'shield-check',
      label: 'pages.account.access.title',
    },
    {
      route: 'account.deletion.edit',
      group: 'profile',
      icon: 'trash-2',
      label: 'pages.account.delete.link',
    },
  ]
    .filter((page) => !!page)
    .map((page) => {
      /* An icon that there is not is an error at the start. Else every page with the menu would be one. */
      edge.renderSync('components/icon', { name: page.icon })
      return {
        ...page,
        get href() {
          return (urlFor as (route: string) => string)(page.route)
        },
      }
    })
)

/** What a security event says. One that has no words of its own is said by its name. */
edge.global(
  'securityEventWords',
  ({ type, details }: Pick<SecurityLogRecord, 'type' | 'details'>) =>
    currentWords(i18nManager).t(`pages.account.security.events.${type}`, details, type)
)

/** The language that a person has chosen: in this session, or for their account. */
preferLanguage((ctx) => {
  const session = RequestSession.existing(ctx)
  const user = session?.live?.user as User | null | undefined
  return session?.get('language') ?? user?.language
})
