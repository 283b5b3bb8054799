import { readFileSync } from 'node:fs'

import app from '@adonisjs/core/services/app'

import { assertOr } from '#process/assert_or'

const TOKEN = /--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)/g
let tokens: Map<string, { light: string; dark: string }> | undefined

/** A colour token of public/app.css, for mails, the icon and the web manifest. */
export function designToken(name: string, scheme: 'light' | 'dark' = 'light'): string {
  tokens ??= new Map(
    readFileSync(app.publicPath('app.css'), 'utf8')
      .matchAll(TOKEN)
      .map(([, key, light, dark]) => [key!, { light: light!, dark: dark! }])
  )
  const token = tokens.get(name)
  assertOr(token, Error, `public/app.css has no colour token --${name}`)
  return token[scheme]
}
