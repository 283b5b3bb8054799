import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { type Place, ROOT } from './test_run.js'

const SOURCES = ['packages/kit/{src,providers}/**/*.ts', '{app,start}/**/*.ts']

const quoted = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

let sources: [file: string, text: string][] | undefined

function allSources() {
  const files = globSync(SOURCES, { cwd: fileURLToPath(ROOT) })
  return files.map((file): [string, string] => [file, readFileSync(new URL(file, ROOT), 'utf8')])
}

/** An expression however it is broken into lines. */
function patternOf(code: string): RegExp {
  const tokens = code.match(/[\w$]+|[^\w\s]/g)!
  const joined = tokens.map((token, index) => {
    const isWord = /^[\w$]/.test(token) && /[\w$]$/.test(tokens[index - 1] ?? '')
    const before = index === 0 ? '' : isWord ? String.raw`\s+` : String.raw`\s*`
    return `${/[)\]}]/.test(token) ? String.raw`\s*,?` : ''}${before}${quoted(token)}`
  })
  return new RegExp(joined.join(''), 'g')
}

/**
 * Where an expression stands.
 *
 * @throws {Error} unless it stands in the sources once
 */
export function placeOf({ code, within = code }: { code: string; within?: string }): Place {
  sources ??= allSources()
  const pattern = patternOf(within)
  const found = sources.flatMap(([file, text]) =>
    [...text.matchAll(pattern)].map((match) => ({ file, around: match }))
  )
  if (found.length !== 1) {
    const files = found.map(({ file }) => file).join(', ') || 'no file'
    throw new Error(`"${within}" has to stand in one place, and is in ${files}: choose another`)
  }
  const { file, around } = found[0]!
  const { index, 0: text } = patternOf(code).exec(around[0])!
  const start = around.index + index
  return { file, start, end: start + text.length }
}
