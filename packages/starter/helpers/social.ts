import app from '@adonisjs/core/services/app'
import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest } from '@japa/runner'

import type User from '#models/user'
import { socialAccounts } from '#services/social_accounts'
import { type SocialConfig, defineConfig } from '#kit/social/define_config'
import { github, openIdConnect } from '#kit/social/presets'
import type { OpenIdSettings } from '#kit/social/providers/open_id'
import { type OrganisationServices, Organisations } from '#kit/social/organisations'
import { Social } from '#kit/social/social'
import { DocumentFetcher } from '#kit/http/document_fetcher'
import { DatabaseSocialStore } from '#kit/social/store'
import { Background } from '#kit/process/background'
import { CLIENT_SECRET, FakeProvider, type Person } from '#starter/helpers/fake_provider'
import { authManager } from '#starter/helpers/passwords'
import { Visitor, signedIn } from '#starter/helpers/visitor'

export const PAGE = { accept: 'text/html' }

/** Mails that were asked for, by what they say. */
export interface SentMail {
  kind: 'verify' | 'taken'
  email: string
  link?: string
}

export interface SocialSetUp {
  provider: FakeProvider
  mails: SentMail[]
}

/**
 * Sets a provider of OpenID Connect up, under the name "fake", until the test ends. It is trusted
 * for the addresses of example.com. The same machine is there as "hub", which speaks as GitHub does.
 */
export async function useSocial(
  settings: Partial<OpenIdSettings> = {},
  appUrl?: string
): Promise<SocialSetUp> {
  const provider = await FakeProvider.start()
  const client = { clientId: provider.clientId, clientSecret: CLIENT_SECRET }
  const providers = {
    fake: openIdConnect({
      label: 'Fake',
      issuer: provider.issuer,
      trustedFor: ['example.com'],
      ...client,
      ...settings,
    }),
    hub: github({ ...client, label: 'Hub', url: provider.issuer, apiUrl: provider.issuer }),
  }
  return { provider, mails: await configureSocial(providers, appUrl) }
}

/**
 * Sets other providers up, until the test ends.
 *
 * @param appUrl where browsers are sent back to; default APP_URL
 */
export async function configureSocial(
  providers: SocialConfig['providers'],
  appUrl = app.config.get<string>('app.appUrl'),
  organisations: Partial<OrganisationServices> = {}
): Promise<SentMail[]> {
  const manager = await authManager()
  const original = manager.feature('social')!
  const mails: SentMail[] = []
  const config = defineConfig({
    providers,
    accounts: socialAccounts,
    notifier: {
      verify: (email, link) => void mails.push({ kind: 'verify', email, link }),
      taken: (email) => void mails.push({ kind: 'taken', email }),
    },
  })
  const services = {
    manager,
    store: new DatabaseSocialStore(() => db.connection()),
    background: await app.container.make(Background),
    organisations: new Organisations({
      manager,
      encryption: (await app.container.make('encryption')).use(),
      client: () => db.connection(),
      fetcher: () => app.container.make(DocumentFetcher),
      allowsLoopback: true,
      ...organisations,
    }),
    appUrl,
  }
  manager.registerFeature('social', new Social(config, services))
  getActiveTest()!.cleanup(() => {
    manager.registerFeature('social', original)
  })
  return mails
}

let people = 0

/** Somebody at the provider, whose address it vouches for. */
export function person(claims: Record<string, unknown> = {}): Person {
  const sub = `subject-${process.pid}-${Date.now()}-${++people}`
  return { sub, email: `${sub}@example.com`, email_verified: true, name: 'Ann Example', ...claims }
}

/** Begins as a program does, and returns where the browser would go. */
export async function begin(
  visitor: Visitor,
  path = '/auth/fake',
  body: object = {}
): Promise<string> {
  const response = await visitor.send(path, body)
  const { authorization_url: url } = (await response.json()) as any
  if (!url) {
    throw new Error(`${path} answered ${response.status}`)
  }
  return url
}

/** The path of an address at the application. */
export const pathOf = (url: URL | string) => {
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}

/** Signs somebody in at the provider, from the button to the answer. */
export async function signIn(
  { provider }: SocialSetUp,
  who: Person,
  {
    visitor = new Visitor(),
    path = '/auth/fake',
    body = {},
    headers,
  }: { visitor?: Visitor; path?: string; body?: object; headers?: Record<string, string> } = {}
) {
  const callback = provider.authorize(await begin(visitor, path, body), who)
  if (path.endsWith('/hub')) {
    callback.searchParams.delete('iss')
  }
  const response = await visitor.get(pathOf(callback), { headers })
  const text = await response.text()
  const answer = text.startsWith('{') ? JSON.parse(text) : null
  return { visitor, response, answer, callback }
}

/** Somebody who has signed in at the provider, which sends their browser back. */
export async function sentBack() {
  const { provider } = await useSocial()
  const visitor = new Visitor()
  const callback = provider.authorize(await begin(visitor), person())
  return { provider, visitor, callback }
}

/** Why sign-ins are refused until the test ends, as operators hear it. */
export function refusedReasons(): string[] {
  const reasons: string[] = []
  getActiveTest()!.cleanup(emitter.on('auth:refused', ({ reason }) => void reasons.push(reason)))
  return reasons
}

/** Somebody with an account and a verified address, unless said otherwise; signed in by password. */
export async function accountOf(
  email: string,
  { verified = true }: { verified?: boolean } = {}
): Promise<{ user: User; visitor: Visitor }> {
  return signedIn({ email, emailVerifiedAt: verified ? Date.now() : null })
}

/** The rows of the identities of a user. */
export function identitiesOf(user: User | { id: unknown }) {
  return db.from('social_identities').where('user_id', String(user.id))
}
