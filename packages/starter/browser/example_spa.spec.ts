import { createReadStream, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'
import type { Page } from 'playwright'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import User from '#models/user'
import { addAuthenticator, addPasskey } from '#starter/helpers/authenticator'
import { openPage } from '#starter/helpers/chromium'
import { execute } from '#starter/helpers/execute'
import { listenForTest } from '#starter/helpers/listening'
import { startMailServer } from '#starter/helpers/mail_server'
import { startServer } from '#starter/helpers/server_process'
import { turnOn } from '#starter/helpers/two_factor'

const FOLDER = app.makePath('examples/spa')
const IS_INSTALLED = existsSync(join(FOLDER, 'node_modules'))

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' }

/** Serves the files of a folder from an origin of its own, at "localhost", because passkeys need a name. */
async function serveFolder(folder: string): Promise<string> {
  const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : request.url!
    response.setHeader('content-type', TYPES[extname(path)] ?? 'text/html')
    createReadStream(join(folder, path)).pipe(response)
  })
  return `http://localhost:${await listenForTest(server)}`
}

/** Builds the example for an application at an address, typed by what that exports. */
async function build(folder: string, api: string) {
  const env = { NODE_ENV: 'test', VITE_API: api }
  await execute('npm', ['run', 'types'], { cwd: FOLDER, env })
  await execute('npm', ['run', 'build', '--', '--outDir', folder, '--emptyOutDir'], {
    cwd: FOLDER,
    env: { ...env, NODE_ENV: 'production' },
  })
}

/** The example in a browser, beside an application of which it is an app in SPA mode. */
async function setUp() {
  const folder = await mkdtemp(app.tmpPath('spa-'))
  getActiveTest()!.cleanup(() => rm(folder, { recursive: true }))
  const [origin, mails] = await Promise.all([serveFolder(folder), startMailServer()])
  const started = await startServer((url) => ({
    ...mails.env,
    APP_URL: url.replace('127.0.0.1', 'localhost'),
    STATEFUL_ORIGINS: origin,
  }))
  const api = started.replace('127.0.0.1', 'localhost')
  await build(folder, api)
  const page = await openPage({ baseURL: api })
  await page.goto(origin)
  return { page, origin, mails }
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function givePassword(page: Page, email: string, password = FACTORY_PASSWORD) {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Sign in')
}

async function signOut(page: Page) {
  await press(page, 'Sign out')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

/** The link of the mail that verifies an address; others may come before it. */
async function linkIn(mails: Awaited<ReturnType<typeof startMailServer>>): Promise<string> {
  const { text } = await mails.next()
  const [link] = /http:\S+\/email\/verify\/\S+/.exec(text!) ?? []
  return link ?? linkIn(mails)
}

test.group('examples/spa', (group) => {
  if (!IS_INSTALLED) {
    process.stdout.write('examples/spa is skipped: run "npm ci" in it.\n')
  }
  group.each.skip(!IS_INSTALLED, 'Its packages are not installed')

  test('signs up, verifies, writes, and signs in by password, second factor and passkey', async ({
    assert,
  }) => {
    const { page, origin, mails } = await setUp()
    const email = `${crypto.randomUUID()}@example.com`

    await press(page, 'Create an account')
    await page.getByLabel('Full name').fill('Ann Example')
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill('password123')
    await press(page, 'Create account')
    await page.getByText('This is one of the most used passwords').waitFor()
    await page.getByLabel('Password').fill(FACTORY_PASSWORD)
    await press(page, 'Create account')
    await page
      .getByText('Nobody has written anything yet.')
      .or(page.locator('h2'))
      .first()
      .waitFor()

    await page.getByLabel('Title').fill('My first post')
    await page.getByLabel('Text').fill('Written from another origin.')
    await press(page, 'Publish')
    await page.getByRole('heading', { name: 'My first post' }).waitFor()
    assert.include(await page.locator('article', { hasText: 'My first post' }).innerText(), 'Ann')

    await page.getByRole('link', { name: 'Ann Example' }).click()
    await page.getByText('Open the link').waitFor()
    const tab = await page.context().newPage()
    await tab.goto(await linkIn(mails))
    await tab.getByRole('button', { name: 'Yes, verify it' }).click()
    await tab.getByText('is verified').waitFor()
    await page.evaluate(`dispatchEvent(new Event('focus'))`)
    await page.getByText('verified', { exact: true }).waitFor()
    await page.getByLabel('Full name').fill('x'.repeat(256))
    await press(page, 'Save')
    await page.getByText('must not have more than 255 characters').waitFor()
    await page.getByLabel('Full name').fill('Ann Other')
    await press(page, 'Save')
    await page.getByRole('link', { name: 'Ann Other' }).waitFor()

    await addAuthenticator(tab)
    await addPasskey(tab, 'Telephone')
    await signOut(page)
    await givePassword(page, email, 'not my secret')
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    const user = await User.findByOrFail({ email })
    const { recoveryCodes } = await turnOn(user)
    await givePassword(page, email)
    await page.getByLabel('Code').fill('000000')
    await press(page, 'Continue')
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Code').fill(recoveryCodes[0]!)
    await press(page, 'Continue')
    await page.getByRole('link', { name: 'Ann Other' }).waitFor()

    await signOut(page)
    await tab.goto(origin)
    await press(tab, 'Use a passkey')
    await tab.getByRole('link', { name: 'Ann Other' }).waitFor()
    await tab.reload()
    await tab.getByRole('link', { name: 'Ann Other' }).waitFor()
  }).timeout(300_000)
})
