import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ApplicationService } from '@adonisjs/core/types'

/** What the pages use of the starter, and what stands for it in an application with another layout and without its words. */
const REWRITES: [from: RegExp, to: string][] = [
  [/@layout\(/g, '@oauth.page('],
  [/(['`])pages\./g, '$1'],
  [/\bt\(/g, 'oauthWords('],
  [/\{\{\{ await csrfField\(\) \}\}\}/g, '{{ csrfField() }}'],
  [/\bappName\b/g, `oauthWords('app_name')`],
  [
    /\{\{ deviceWords\(device\) \}\}/g,
    `{{ [device.browser, device.system].filter(Boolean).join(', ') }}`,
  ],
  [/@!moment\(\{ at: (.+?) \}\)$/gm, '{{ ($1).toUTCString() }}'],
  [/^ *@!icon\(.*\n/gm, ''],
  /* An existing application has no workspaces to choose from. */
  [/^ *@if\(question\)\n.*\n *@end\n/gm, ''],
  [/^.*href="\/account.*\n/gm, ''],
]

/** A page that needs nothing but Edge, the CSRF field of Shield, and `oauthWords`. */
export function hostPage(template: string): string {
  return REWRITES.reduce((page, [from, to]) => page.replace(from, to), template)
}

/**
 * The words of the pages, by keys such as `consent.title`: the kit's, and over them those that the
 * application has in resources/oauth_words.json.
 *
 * @param resources folder of the kit's resources
 */
export async function hostWords(resources: string, app: ApplicationService) {
  const pages = JSON.parse(await readFile(join(resources, 'lang/en/pages.json'), 'utf8'))
  const own = await readFile(app.makePath('resources/oauth_words.json'), 'utf8').catch(() => '{}')
  const words = { app_name: app.appName ?? 'this application', ...flat(pages), ...JSON.parse(own) }
  return (name: string, values: Record<string, unknown> = {}) =>
    (words[name] ?? name).replace(/\{(\w+)\}/g, (_: string, key: string) => String(values[key]))
}

function flat(words: Record<string, any>, prefix = ''): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(words).map(([name, word]) =>
      typeof word === 'string' ? { [prefix + name]: word } : flat(word, `${prefix}${name}.`)
    )
  )
}
