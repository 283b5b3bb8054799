/* The measured cells as a table in Markdown, and its place in the documentation. */

import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'

import { WORKLOADS } from './workloads.js'

const PAGE = new URL('../../../docs/performance.md', import.meta.url)
const BEGIN = '<!-- npm run bench writes from here -->'
const END = '<!-- to here -->'

function median(values) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)]
}

/** @returns the table with a line on how it came about */
export function summarize(cells, contestants, { rounds, duration, connections }) {
  const columns = contestants.map(({ name }) => name)
  const rows = Object.entries(WORKLOADS).flatMap(([workload, { title }]) => {
    const own = cells.filter((cell) => cell.workload === workload)
    if (!own.length) {
      return []
    }
    const figures = columns.map((contestant) => {
      const measured = own.filter((cell) => cell.contestant === contestant && !isWrong(cell))
      return measured.length ? describe(measured) : '–'
    })
    return [`| ${workload} ${title} | ${figures.join(' | ')} |`]
  })
  return [
    `| | ${columns.join(' | ')} |`,
    `|---|${columns.map(() => '--:').join('|')}|`,
    ...rows,
    '',
    `Node.js ${process.version}, ${cpus()[0].model}; ${rounds} rounds of ${duration} ms, ${connections} connections. ` +
      'CPU of the server in µs a request; in brackets requests a second, p50 and p99 in ms.',
    '',
    ...contestants.map(
      (contestant) => `- ${contestant.name}: ${contestant.note}.${checks(contestant)}`
    ),
  ].join('\n')
}

/** Answers that are wrong now and then are those of a connection that ended. */
function isWrong({ failures, count }) {
  return !count || failures > count / 1000
}

function describe(measured) {
  const of = (key) => median(measured.map((cell) => cell[key]))
  return `**${of('cpu').toFixed(0)}** (${of('rate').toFixed(0)}, ${of('p50').toFixed(1)}, ${of('p99').toFixed(1)})`
}

function checks({ refused }) {
  if (!refused) {
    return ''
  }
  const failed = refused.filter(({ isRefused }) => !isRefused).map(({ what }) => what)
  return failed.length
    ? ` Does not refuse ${failed.join(', ')}.`
    : ` Refuses all ${refused.length} of what it has to.`
}

/** Puts the table into docs/performance.md. */
export function writeTable(table) {
  const page = readFileSync(PAGE, 'utf8')
  const [before] = page.split(BEGIN)
  const [, after] = page.split(END)
  writeFileSync(PAGE, `${before}${BEGIN}\n\n${table}\n\n${END}${after}`)
}
