import { existsSync } from 'node:fs'

import { getActiveTest } from '@japa/runner'
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright'

const EXECUTABLES = [
  /* Needs half the time of the whole browser. */
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  /* Where "npx playwright install chromium" puts it. */
  chromium.executablePath(),
]
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The installed browser, or undefined. CHROMIUM_PATH names another one. */
const executablePath = [process.env.CHROMIUM_PATH, ...EXECUTABLES].find(
  (path) => path && existsSync(path)
)

export const hasBrowser = executablePath !== undefined

/** Milliseconds: a machine that is busy with other tests too may take long, a page that hangs never ends. */
const PATIENCE = 60_000

let browser: Promise<Browser> | undefined

/** Opens a page in a fresh profile, which is closed when the test ends. */
export async function openPage(options?: BrowserContextOptions) {
  browser ??= chromium.launch({ executablePath, headless: true, args: FLAGS })
  const running = await browser
  const context = await running.newContext(options)
  context.setDefaultTimeout(PATIENCE)
  getActiveTest()!.cleanup(() => context.close())
  return context.newPage()
}

/** The address of a client to which the browser is sent next: no name server knows it, so that no page comes. */
export async function sentTo(page: Page, callback: string): Promise<URL> {
  const [request] = await Promise.all([
    page.waitForRequest(`${callback}?**`),
    page.waitForEvent('framenavigated', (frame) => frame.url().startsWith('chrome-error:')),
  ])
  return new URL(request.url())
}

export async function closeBrowser() {
  const running = await browser
  await running?.close()
  browser = undefined
}
