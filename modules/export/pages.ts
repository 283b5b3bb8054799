/** Where the words of the pages are in the other application, by their keys. */
export const WORDS = 'resources/oauth_words.json'

/** Sections of `resources/lang/en/pages.json` that the pages of OAuth use. */
const SECTIONS = ['consent', 'device_sign_in', 'select_account', 'logout']

/** What the pages use of this application, and what stands for it in an application with another layout and no i18n. */
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
  [/^.*href="\/account.*\n/gm, ''],
]

/** A page of `resources/views/pages/oauth` that needs nothing but Edge and the CSRF field of Shield. */
export function plainPage(text: string): string {
  return REWRITES.reduce((page, [from, to]) => page.replace(from, to), text)
}

/**
 * The words of the pages, by keys such as `consent.title`.
 *
 * @param pages the text of `resources/lang/en/pages.json`
 * @param appName what the application is called
 */
export function pageWords(pages: string, appName: string): string {
  const sections = JSON.parse(pages) as Record<string, Record<string, string>>
  const words = SECTIONS.flatMap((section) =>
    Object.entries(sections[section]!).map(([key, word]) => [`${section}.${key}`, word])
  )
  return `${JSON.stringify({ app_name: appName, ...Object.fromEntries(words) }, null, 2)}\n`
}
