import { createRequire } from 'node:module'
import { readFile } from 'node:fs/promises'

import type { Page } from 'playwright'

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds wrong on the page. Its code is evaluated, because the policy refuses inline scripts. */
export async function findings(page: Page) {
  await page.evaluate(AXE)
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
  )
}

/** The addresses outside the site that the page asks for from now on. */
export function foreignRequests(page: Page, baseURL: string): string[] {
  const foreign: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(baseURL)) {
      foreign.push(request.url())
    }
  })
  return foreign
}

/** By how many pixels the page is wider than the window. */
export async function overflow(page: Page) {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  )
}
