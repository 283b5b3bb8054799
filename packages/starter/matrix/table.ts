import { readFileSync, writeFileSync } from 'node:fs'

import type { Program, Way } from './programs.js'
import type { Result } from './round.js'

const PAGE = new URL('../../../docs/mcp.md', import.meta.url)
const PACKAGE = new URL('./programs/package.json', import.meta.url)
const BEGIN = '<!-- npm run matrix writes from here -->'
const END = '<!-- to here -->'

/** A line of the table: the ways of a program that went alike. */
export interface Row {
  program: Program
  ways: Way[]
  cells: string[]
}

const HEAD = [
  'Program',
  'At',
  'Its `client_id`',
  'Signs in',
  'Reads',
  'Writes, when the person had not allowed it at first',
  'Three calls at once after its token has expired',
  'Disconnected, and back',
]

/** What a program did, alike ways in one row. */
export function rowsOf(program: Program, results: Result[]): Row[] {
  const alike = Map.groupBy(results, ({ cells }) => cells.join('|'))
  return [...alike.values()].map((group) => ({
    program,
    ways: group.map(({ way }) => way),
    cells: group[0]!.cells,
  }))
}

/** The version of a program's package. */
export function versionOf({ npm }: Program): string {
  return JSON.parse(readFileSync(PACKAGE, 'utf8')).dependencies[npm]
}

/** Rows in Markdown. */
export function table(rows: Row[]): string {
  const lines = rows.map(({ program, ways, cells }) => [
    `${program.name} ${versionOf(program)}`,
    `\`${program.mount}\``,
    ways.join(', '),
    ...cells,
  ])
  return [HEAD, HEAD.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** Puts the table into docs/mcp.md. */
export function writeTable(text: string): void {
  const page = readFileSync(PAGE, 'utf8')
  const [before] = page.split(BEGIN)
  const [, after] = page.split(END)
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${text}\n\n${END}${after}`)
}

/** The table that docs/mcp.md has. */
export function writtenTable(): string {
  return readFileSync(PAGE, 'utf8').split(BEGIN)[1]!.split(END)[0]!.trim()
}
