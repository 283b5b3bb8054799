/*
|--------------------------------------------------------------------------
| Both versions of a mutated expression
|--------------------------------------------------------------------------
|
| Imported before everything else by each process of "npm run promises". A
| module with mutations is compiled with both versions of each expression; the
| running test chooses, so that one start serves all of them. A process without
| tests is told by PROMISE which mutation is on.
|
*/

import { MUTATIONS } from './mutations.ts'

const root = new URL('../../../', import.meta.url).pathname
const isOn = process.env.PROMISES === 'broken'
const runsTests = process.argv[1]?.endsWith('bin/test.ts')

/* Japa's own module, loaded where tests run. */
let activeTest = () => undefined

globalThis.isBroken = (number) =>
  isOn &&
  (process.env.PROMISE === String(number) || activeTest()?.title === MUTATIONS[number].title)

/** The source of a module with both versions of what is mutated in it. */
globalThis.withMutations = (filename, source) =>
  MUTATIONS.reduce((text, { file, code, broken }, number) => {
    if (filename !== root + file) {
      return text
    }
    if (text.split(code).length !== 2) {
      throw new Error(`${file}: "${code}" is not there once: choose another expression`)
    }
    const before = text.slice(0, text.indexOf(code))
    /* A statement without a semicolon before it: the parenthesis would call what stands there. */
    const start = /[^(=|&?:,{>\s]\s*\n\s*$/.test(before) ? ';' : ''
    return text.replace(
      code,
      () => `${start}(globalThis.isBroken(${number}) ? (${broken}) : (${code}))`
    )
  }, source)

await import('../helpers/typescript.js')
if (runsTests) {
  const { getActiveTest } = await import('@japa/runner')
  activeTest = () => getActiveTest()?.options
}
