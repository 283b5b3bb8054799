import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

import type { Page } from 'playwright'

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The narrowest window that pages fit in (WCAG 2.2, 1.4.10), and a phone, a tablet and a desk. */
const NARROWEST = 320
const WIDTHS = [390, 768, 1280]
const SCHEMES = ['light', 'dark'] as const
const DIRECTIONS = ['rtl', 'ltr'] as const

/** Where pictures of the pages go; none are made unless this is set: `npm run shots`. */
const { SHOTS } = process.env

/**
 * What is wrong with the page as it is: on a phone, a tablet and on a desk, in
 * light and in dark, what axe finds and by how much it is wider than the window, also
 * when it is written from right to left. Then what the Tab key does not reach, or
 * reaches unseen.
 */
export async function flaws(page: Page, name: string): Promise<string[]> {
  await resize(page, NARROWEST)
  const found: string[] = []
  for (const direction of DIRECTIONS) {
    await page.evaluate(`document.documentElement.dir = '${direction}'`)
    const problems = await overflow(page)
    found.push(...problems.map((problem) => `${direction}: ${problem}`))
  }
  await loadAxe(page)
  for (const width of WIDTHS) {
    await resize(page, width)
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme })
      const problems = [...(await findings(page, colorScheme)), ...(await overflow(page))]
      found.push(...problems.map((problem) => `${colorScheme} at ${width} px: ${problem}`))
      if (SHOTS) {
        const file = `${name.replaceAll(/\W+/g, '_')}-${width}-${colorScheme}.png`
        await page.screenshot({ path: join(SHOTS, file), fullPage: true })
      }
    }
  }
  return [...found, ...(await unreached(page))]
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

/** Axe is evaluated, because the policy refuses inline scripts, and kept by the site: sending it takes longer than all its work. */
async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate<boolean>(`'axe' in localStorage`))) {
    await page.evaluate(`localStorage.axe = ${JSON.stringify(AXE)}`)
  }
  await page.evaluate('eval(localStorage.axe)')
}

/** Gives the window a width, and waits until the page has it: the browser tells it a moment later. */
async function resize(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 800 })
  await page.evaluate(
    `new Promise((done) => {
      const look = () => (innerWidth === ${width} ? done() : setTimeout(look, 10))
      look()
    })`
  )
}

/** Says by how many pixels the page is wider than the window; nothing when it is not. */
async function overflow(page: Page): Promise<string[]> {
  const [width, pixels] = await page.evaluate<[number, number]>(
    `[innerWidth, document.documentElement.scrollWidth - document.documentElement.clientWidth]`
  )
  return pixels ? [`${pixels} px wider than a window of ${width} px`] : []
}

/** What axe finds. In dark only colours are another thing than in light. */
function findings(page: Page, scheme: (typeof SCHEMES)[number]): Promise<string[]> {
  const options = {
    ...(scheme === 'dark' && { runOnly: ['color-contrast'] }),
    /* What is not shown is not made. */
    selectors: false,
    resultTypes: ['violations'],
  }
  return page.evaluate(
    `axe.run(${JSON.stringify(options)}).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html))`
  )
}

/** Presses Tab through the page from its beginning. */
async function unreached(page: Page): Promise<string[]> {
  const count = await page.evaluate<number>(
    `(() => {
      const controls = [...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
      const left = new Map(
        controls
          .filter((one) => one.type !== 'hidden' && one.checkVisibility())
          .map((one) => [one, 'is not reached by Tab'])
      )
      window.unreached = left
      document.addEventListener('focusin', ({ target }) => {
        if (left.has(target)) {
          const isSeen = getComputedStyle(target).outlineStyle !== 'none'
          isSeen ? left.delete(target) : left.set(target, 'has no visible focus')
        }
      })
      document.body.tabIndex = -1
      document.body.focus()
      /* Day, month, year and calendar of a date are reached each. */
      return left.size + 3 * document.querySelectorAll('input[type=date]').length
    })()`
  )
  /* The browser takes them in their order. */
  await Promise.all(Array.from({ length: count }, () => page.keyboard.press('Tab')))
  return page.evaluate(
    `[...unreached].map(([one, what]) => one.cloneNode().outerHTML + ' ' + what)`
  )
}
