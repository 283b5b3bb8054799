import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'

/** Documents that the start page links to, where they are there. Their labels are in `pages.start.documents`. */
const FIRST = [
  'accounts',
  'api-tokens',
  'oauth',
  'mcp',
  'json-api',
  'protecting-routes',
  'features',
  'settings',
  'deploying',
]

/** Names of the documents that the start page links to: none in production, because a build does not have them. */
export function documents(): string[] {
  return app.inProduction ? [] : FIRST.filter((name) => existsSync(app.makePath(`docs/${name}.md`)))
}

/** As GitHub makes the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** A document as HTML; null when there is none of that name. Links lead to the other documents, and nowhere else in this repository. */
export async function documentAsHtml(name: string): Promise<string | null> {
  const path = `${name}.md`
  const files = app.inProduction ? [] : readdirSync(app.makePath('docs'))
  if (!files.includes(path)) {
    return null
  }
  const { Marked, Renderer } = await import('marked')
  const marked = new Marked({
    renderer: {
      link(token) {
        const [, file] = /^([^:#]+)(?=#|$)/.exec(token.href) ?? []
        if (file && !files.includes(file)) {
          return this.parser.parseInline(token.tokens)
        }
        token.href = token.href.replace(/^([\w-]+)\.md(?=#|$)/, '/docs/$1')
        return false
      },
      heading({ tokens, text, depth }) {
        return `<h${depth} id="${anchorOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
      },
      /* On a phone a table is wider than the page: it is moved by finger, or by key. */
      table(token) {
        const table = Renderer.prototype.table.call(this, token)
        return table.replace('<table>', '<table tabindex="0">')
      },
    },
  })
  return marked.parse(await readFile(app.makePath('docs', path), 'utf8'))
}
