import { globSync } from 'node:fs'

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import edge from 'edge.js'
import type { Page } from 'playwright'

import { PostFactory } from '#database/factories/post_factory'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import VerifyAddressMail from '#kit/email_verification/verify_address_mail'
import { addAuthenticator, addPasskey } from '#starter/helpers/authenticator'
import { openPage, sentTo } from '#starter/helpers/chromium'
import { authorizationPath } from '#starter/helpers/consent'
import { beginDevice, useDevices } from '#starter/helpers/device'
import { FORMS_OF_THE_FRAME, OTHER_FORMS, STEPS } from '#starter/helpers/forms'
import { book, OPENS_URLS, pageOf } from '#starter/helpers/fixtures/mcp/asks_on_page'
import { registerClient, registerItself } from '#starter/helpers/oauth'
import { flaws, foreignRequests } from '#starter/helpers/page_findings'
import { usePasskeys } from '#starter/helpers/passkeys'
import { linkOf } from '#starter/helpers/sent_links'
import { givePassword, signInOnPage } from '#starter/helpers/sign_in_page'
import { stopClock } from '#starter/helpers/time'
import { fieldsOf, newDomain, useOrganisations, verify } from '#starter/helpers/organisations'
import { identitiesOf, person as identity, useSocial } from '#starter/helpers/social'
/* feature: mail_code */
import { useMailCodes } from '#starter/helpers/mail_code'
/* /feature */
import { SCOPE, registerRelyingParty, useOpenId } from '#starter/helpers/openid'
/* feature: workspaces */
import { team, workspacesOf } from '#starter/helpers/workspaces'
/* /feature */
import { codeOf, wrongCodeOf } from '#starter/helpers/two_factor'
import { serverUrl } from '#starter/helpers/server_url'

const CALLBACK = 'https://client.example.com/callback'
const LONG_NAME = 'A name that is rather long, so that it has to break somewhere'

/** Notes the templates that are rendered, until it is told to stop. */
function watchTemplates(rendered: Set<string>) {
  const renderer: ReturnType<typeof edge.createRenderer> = Object.getPrototypeOf(
    edge.createRenderer()
  )
  const { render } = renderer
  renderer.render = function (...parameters) {
    rendered.add(parameters[0])
    return render.apply(this, parameters)
  }
  return () => {
    renderer.render = render
  }
}

/** The patterns of the routes that the forms of a page post to. */
async function formsOf(page: Page): Promise<string[]> {
  const paths = await page.evaluate<string[]>(
    `[...document.querySelectorAll('form[method=post], [formaction]')]
      .map((one) => new URL(one.getAttribute('formaction') ?? one.action, location).pathname)`
  )
  return paths.map((path) => router.match(path, 'POST', false)!.route.pattern)
}

/** Looks at pages as one person, and remembers what is wrong with them and which forms they have. */
class Inspection {
  readonly flaws: Record<string, string[]> = {}
  readonly forms = new Set<string>()
  /* An answer goes to the client, a sign-in to its provider, and nothing else leaves. */
  readonly elsewhere = [`${CALLBACK}?`]
  readonly #foreign: string[]

  constructor(
    readonly page: Page,
    readonly origin: string,
    readonly tick: (seconds: number) => void
  ) {
    this.#foreign = foreignRequests(page, origin)
  }

  /** What the pages have asked other sites for that they should not. */
  get left() {
    return this.#foreign.filter((url) => !this.elsewhere.some((start) => url.startsWith(start)))
  }

  async signIn(): Promise<User> {
    const user = await UserFactory.create()
    await signInOnPage(this.page, user)
    return user
  }

  async see(name: string, path?: string) {
    if (path) {
      await this.page.goto(path)
    }
    const found = await flaws(this.page, name)
    if (!(await this.page.locator('main :is(a[href], button[type=submit])').count())) {
      found.push('leads nowhere')
    }
    if (found.length) {
      this.flaws[name] = found
    }
    for (const form of await formsOf(this.page)) {
      this.forms.add(form)
    }
  }
}

async function seeAsStranger(inspection: Inspection) {
  const { page } = inspection
  const post = await PostFactory.with('author')
    .with('comments', 1, (one) => one.with('author'))
    .create()
  for (const path of [
    '/',
    '/posts',
    `/posts/${post.id}`,
    '/register',
    '/password/forgot',
    '/nowhere',
    '/dev/mails',
    '/docs/mail-code',
  ]) {
    await inspection.see(path, path)
  }
  const { email } = await UserFactory.create()
  const manager = await app.container.make('auth_manager')
  const token = await manager.broker().createToken(email)
  const link = new URLSearchParams({ token: token!, email })
  await inspection.see('set a new password', `/password/reset?${link}`)
  await inspection.see('a reset link that does not work', '/password/reset?token=x')
  await inspection.see('sign in', '/login')
  await givePassword(page, 'nobody@example.com')
  await page.getByRole('alert').waitFor()
  await inspection.see('refused sign-in')
}

async function seeAccount(inspection: Inspection) {
  const { page, origin } = inspection
  const user = await inspection.signIn()
  await signInOnPage(await openPage({ baseURL: origin }), user)
  await inspection.see('start, signed in', '/')
  await inspection.see('devices', '/account/sessions')
  const paths = ['', '/password', '/email', '/connected-apps', '/access', '/delete', '/security']
  for (const path of paths) {
    await inspection.see(`account${path}`, `/account${path}`)
  }
  for (const path of ['/account/tokens', '/account/access-tokens']) {
    await inspection.see(path, path)
    await page.getByLabel('Name').fill(LONG_NAME)
    await page.getByRole('button', { name: 'Create the token' }).click()
    await page.getByText('Choose at least one').waitFor()
    await inspection.see(`${path}, refused`)
    await page.getByLabel('Read your posts').check()
    await page.getByRole('button', { name: 'Create the token' }).click()
    await page.getByRole('heading', { name: 'Your new token' }).waitFor()
    await inspection.see(`${path}, created`)
    /* As without JavaScript: no dialog asks. */
    await page
      .locator('form[data-sure]')
      .first()
      .evaluate((form: any) => form.submit())
    await page.getByRole('button', { name: 'Revoke the token' }).waitFor()
    await inspection.see(`${path}, before one is revoked`)
  }
  await page.goto('/account/email')
  await page.getByLabel('New e-mail address').fill('another@example.com')
  await page.getByLabel('Current password').fill(FACTORY_PASSWORD)
  const link = await linkOf(VerifyAddressMail, () =>
    page.getByRole('button', { name: 'Change the address' }).click()
  )
  await inspection.see('an address that waits')
  await inspection.see('the link of an address', link)
  await inspection.see('an address to verify', '/email/verify')
}

async function seeFactors(inspection: Inspection) {
  const { page } = inspection
  const { email } = await inspection.signIn()
  await inspection.see('no second factor', '/account/two-factor')
  await page.getByRole('button', { name: 'Set it up' }).click()
  const secret = (await page.locator('#totp-secret').textContent())!
  await page.getByLabel('Code', { exact: true }).fill(wrongCodeOf(secret))
  await page.getByRole('button', { name: 'Turn it on' }).click()
  await page.getByText('This code is wrong').waitFor()
  await inspection.see('set up the second factor')
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret))
  await page.getByRole('button', { name: 'Turn it on' }).click()
  await page.locator('#recovery-codes').waitFor()
  await inspection.see('recovery codes')
  await inspection.see('a second factor', '/account/two-factor')
  await inspection.see('no passkeys', '/account/passkeys')
  const person = await addAuthenticator(page)
  await addPasskey(page, LONG_NAME)
  await person.leave()
  await page.locator('summary', { hasText: 'Rename' }).click()
  await inspection.see('a passkey')
  await inspection.see('what acts for the account', '/account/access')
  await inspection.see('delete, with every proof', '/account/delete')
  await inspection.see('address, with every proof', '/account/email')
  inspection.tick(900)
  await inspection.see('confirm', '/account/tokens')
  await page.context().clearCookies()
  await givePassword(page, email)
  await page.waitForURL('**/login/two-factor')
  await page.getByText('I cannot use my app').click()
  await inspection.see('the second step')
}

async function seeConsent(inspection: Inspection) {
  const { page } = inspection
  await inspection.signIn()
  const client = await registerClient({
    name: LONG_NAME,
    redirectUris: [CALLBACK, 'http://127.0.0.1/callback'],
  })
  const ask = (more: object) => authorizationPath(client, { redirect_uri: CALLBACK, ...more })
  await inspection.see('consent', ask({ scope: 'posts:read mcp:use' }))
  const sent = sentTo(page, CALLBACK)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await sent
  await inspection.see('consent to more', ask({ scope: 'posts:read posts:write' }))
  await inspection.see('consent for a program', ask({ redirect_uri: 'http://127.0.0.1/callback' }))
  await inspection.see('consent after another sign-in', ask({ prompt: 'login' }))
  await inspection.see('a connected app', '/account/connected-apps')
  await inspection.see('an unknown client', '/oauth/authorize?client_id=x')
  const stranger = await registerClient({ name: LONG_NAME, redirectUris: [CALLBACK] })
  await db.from('oauth_clients').where('id', stranger.id).update({ source: 'registration' })
  const refused = { redirect_uri: CALLBACK, scope: 'nonsense' }
  await inspection.see('an address to go on to', authorizationPath(stranger, refused))
}

async function seeDevices(inspection: Inspection) {
  const { page } = inspection
  await inspection.signIn()
  await useDevices()
  const device = await beginDevice(await registerClient({ name: LONG_NAME }))
  await inspection.see('code of a device', '/device')
  await inspection.see('unknown code of a device', '/device?user_code=bbbb-bbbb')
  await inspection.see('a device', `/device?user_code=${device.user_code}`)
  await page.getByRole('button', { name: 'Allow', exact: true }).click()
  await page.getByRole('heading', { name: 'The device is signed in' }).waitFor()
  await inspection.see('a device that is signed in')
}

async function seeQuestions(inspection: Inspection) {
  const { page } = inspection
  const user = await inspection.signIn()
  const { id } = await registerItself(LONG_NAME, ['http://127.0.0.1/callback', CALLBACK])
  const headers = { ...OPENS_URLS, 'x-client': id }
  await inspection.see('a question of a tool', pageOf(await book(user.id, 'Rome', headers)))
  await page.getByLabel('Your name').fill('Ann')
  await page.getByLabel('Day').evaluate((field: any) => (field.type = 'text'))
  await page.getByLabel('Day').fill('tomorrow')
  await page.getByRole('button', { name: 'Send the answer' }).click()
  await page.getByText('This must be a date').waitFor()
  await inspection.see('a question, refused')
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.getByRole('heading', { name: 'Thank you' }).waitFor()
  await inspection.see('a question that was answered')
}

// feature: workspaces
async function seeWorkspaces(inspection: Inspection) {
  const user = await inspection.signIn()
  const { invitations } = await workspacesOf()
  const [other, owner] = await UserFactory.createMany(2)
  const gone = await team(user)
  await (await workspacesOf()).delete(gone.id)
  const theirs = await team(other!, {}, LONG_NAME)
  const token = await invitations.create(theirs.id, user.email, 'member')
  const { id, slug } = await team(user, { member: other!, owner: owner! }, LONG_NAME)
  await invitations.create(id, 'guest@example.com', 'member')
  await inspection.see('an invitation', `/invitations/${token}`)
  await inspection.see('workspaces', '/workspaces')
  await inspection.page.getByRole('button', { name: 'Work here' }).first().click()
  await inspection.see('workspaces, in one of them')
  await inspection.see('a workspace', `/w/${slug}`)
  await inspection.see('the log of a workspace', `/w/${slug}/log`)
  // feature: social
  const social = await useOrganisations()
  await verify(social.organisations, await social.organisations.add(fieldsOf(social), id))
  await social.organisations.add(fieldsOf({ ...social, domain: newDomain() }), id)
  await inspection.see('identity providers', `/w/${slug}/providers`)
  // /feature
  await (await workspacesOf()).delete(id)
}
// /feature

async function seeOpenId(inspection: Inspection) {
  const { page } = inspection
  await inspection.signIn()
  await useOpenId()
  const client = await registerRelyingParty({}, { redirectUris: [CALLBACK] })
  const selection = { redirect_uri: CALLBACK, scope: SCOPE, prompt: 'select_account' }
  await inspection.see('accounts to choose from', authorizationPath(client, selection))
  await inspection.see('sign-out that a client asks for', `/oauth/logout?client_id=${client.id}`)
  await page.getByRole('main').getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor()
  await inspection.see('signed out')
}

// feature: mail_code
async function seeMailCodes(inspection: Inspection) {
  const { page } = inspection
  const user = await inspection.signIn()
  await useMailCodes()
  await inspection.see('confirm, with a code by mail', '/confirm')
  await inspection.see('a code that confirms', '/confirm/code')
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await page.getByLabel('Code from the mail').waitFor()
  await inspection.see('a code to type')
  await page.context().clearCookies()
  await inspection.see('sign in, with a code by mail', '/login')
  await inspection.see('the link of a code, elsewhere', '/login/code?code=123456')
  await page.getByLabel('E-mail address').fill(user.email)
  await page.getByRole('button', { name: 'Mail me a code' }).click()
  await page.getByText('Only the newest code works').waitFor()
  await inspection.see('a code that signs in')
}
// /feature

// feature: social
/** The provider keeps the browser where it is, until it has somebody to sign in. */
async function seeSocial(inspection: Inspection) {
  const { page } = inspection
  const user = await inspection.signIn()
  const { provider } = await useSocial({}, inspection.origin)
  inspection.elsewhere.push(provider.issuer)
  await inspection.see('no other ways to sign in', '/account/sign-in-methods')
  await page.getByRole('button', { name: 'Connect Fake' }).click()
  await page.getByRole('heading', { name: 'On to Fake' }).waitFor()
  await inspection.see('on the way to a provider')
  await user.merge({ emailVerifiedAt: Date.now() }).save()
  provider.visitor = identity({ email: user.email })
  await page.getByRole('link', { name: 'Continue to Fake' }).click()
  await page.getByText('Fake is connected').waitFor()
  await inspection.see('an identity', '/account/sign-in-methods')
  await inspection.see('confirm, with a provider', '/confirm')
  await identitiesOf(user).delete()
  await page.context().clearCookies()
  await inspection.see('sign in, with providers', '/login')
  await inspection.see('register, with providers', '/register')
  await page.getByRole('button', { name: 'Continue with Fake' }).click()
  await page.getByText('Sign in to it, and connect Fake').waitFor()
  await givePassword(page, user.email)
  await page.getByRole('heading', { name: 'Connect Fake to your account?' }).waitFor()
  await inspection.see('an identity that waits')
}
// /feature

/** Opens every page whose address has no parameters and which this person may see, and returns their paths. */
async function eachPage(page: Page, look: (path: string) => Promise<void>): Promise<string[]> {
  const paths = router
    .toJSON()
    .root!.filter(({ methods, pattern }) => methods.includes('GET') && !/[:*]/.test(pattern))
    .map(({ pattern }) => pattern)
  const seen: string[] = []
  for (const path of paths) {
    /* The server may close a connection that was idle just when it is used. */
    const answer = await page.request.get(path, { headers: { accept: 'text/html' }, maxRetries: 1 })
    const isPage = answer.headers()['content-type']?.startsWith('text/html')
    if (isPage && new URL(answer.url()).pathname === path) {
      seen.push(path)
      await page.goto(path)
      await look(path)
    }
  }
  return seen
}

const PARTS = [
  { part: 'what a stranger sees', look: seeAsStranger },
  { part: 'an account', look: seeAccount },
  { part: 'the second factor', look: seeFactors },
  // feature: workspaces
  { part: 'workspaces', look: seeWorkspaces },
  // /feature
  { part: 'what a client asks for', look: seeConsent },
  { part: 'the code of a device', look: seeDevices },
  { part: 'the questions of a tool', look: seeQuestions },
  { part: 'what OpenID Connect adds', look: seeOpenId },
  // feature: mail_code
  { part: 'the code of a mail', look: seeMailCodes },
  // /feature
  // feature: social
  { part: 'sign-in methods', look: seeSocial },
  // /feature
]

test.group('Every page in a browser', (group) => {
  const rendered = new Set<string>()
  const forms = new Set<string>()
  group.setup(() => watchTemplates(rendered))

  test(
    '{part}: without a flaw, on a phone, a tablet and a desk, in light and in dark, and for the keyboard'
  )
    .with(PARTS)
    .run(async ({ assert }, { look }) => {
      const { origin } = await usePasskeys()
      const page = await openPage({ baseURL: origin })
      const inspection = new Inspection(page, origin, stopClock())
      await look(inspection)
      assert.deepEqual(inspection.flaws, {})
      assert.deepEqual(inspection.left, [])
      inspection.forms.forEach((form) => forms.add(form))
    })

  test('each has been looked at, and each form', ({ assert }) => {
    const pages = [app.viewsPath(), app.makePath('packages/kit/resources/views')].flatMap((cwd) =>
      globSync('pages/**/*.edge', { cwd })
    )
    assert.sameMembers(
      [...rendered].filter((name) => name.startsWith('pages/')),
      pages.map((path) => path.replace(/\.edge$/, ''))
    )
    const tried = [
      ...STEPS.map(({ form }) => form),
      ...Object.values(OTHER_FORMS).flat(),
      ...FORMS_OF_THE_FRAME,
    ]
    assert.sameMembers([...forms], [...new Set(tried)])
  })

  test('shows nothing without JavaScript that needs it', async ({ assert }) => {
    const page = await openPage({ baseURL: await serverUrl(), javaScriptEnabled: false })
    await signInOnPage(page, await UserFactory.create())
    const seen = await eachPage(page, async (path) => {
      const shown = await page
        .locator('button[type=button]:visible, [data-passkey]:visible')
        .evaluateAll((found: any[]) => found.map((one) => one.outerHTML))
      assert.deepEqual(shown, [], path)
      assert.isTrue(await page.locator('h1').first().isVisible(), path)
    })
    assert.includeMembers(seen, ['/', '/posts', '/account', '/account/tokens', '/password/forgot'])
  })

  test('is without a flaw in German, too: its words are longer', async ({ assert }) => {
    const found: Record<string, string[]> = {}
    const see = (page: Page, who: string) =>
      eachPage(page, async (path) => {
        /* A viewer from npm, which speaks English. */
        if (path === '/openapi') {
          return
        }
        assert.equal(await page.locator('html').getAttribute('lang'), 'de', path)
        const problems = await flaws(page, `de ${who} ${path}`)
        if (problems.length) {
          found[`${who} ${path}`] = problems
        }
      })
    const baseURL = await serverUrl()
    const guest = await see(await openPage({ baseURL, locale: 'de' }), 'guest')
    assert.includeMembers(guest, ['/', '/login', '/register', '/password/forgot'])
    const page = await openPage({ baseURL })
    await signInOnPage(page, await UserFactory.merge({ language: 'de' }).create())
    const member = await see(page, 'member')
    assert.includeMembers(member, ['/account', '/account/tokens', '/account/security'])
    assert.deepEqual(found, {})
  }).timeout(300_000)
})
