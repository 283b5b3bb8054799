/*
|--------------------------------------------------------------------------
| TypeScript for the processes that tests start
|--------------------------------------------------------------------------
|
| Does what ts-exec does, in the process's own thread, and keeps the compiled
| code in tmp/typescript: a server starts in half the time.
|
*/

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const KEPT = new URL('../../../tmp/typescript/', import.meta.url)
const require = createRequire(import.meta.url)

/* As tsconfig.json asks of ts-exec. */
const SETTINGS = {
  sourceMaps: 'inline',
  module: { type: 'es6' },
  jsc: {
    target: 'esnext',
    parser: { syntax: 'typescript', decorators: true, dynamicImport: true },
    transform: {
      decoratorMetadata: true,
      legacyDecorator: true,
      verbatimModuleSyntax: true,
      useDefineForClassFields: true,
    },
    experimental: { keepImportAttributes: true },
    keepClassNames: true,
  },
}

const hash = (text) => createHash('sha256').update(text).digest('base64url')

function compile(filename) {
  const text = readFileSync(filename, 'utf8')
  /* "npm run promises" changes some. */
  const source = globalThis.withMutations?.(filename, text) ?? text
  const version = `/* ${hash(source)} */`
  const kept = new URL(hash(filename), KEPT)
  try {
    const code = readFileSync(kept, 'utf8')
    if (code.startsWith(version)) {
      return code
    }
  } catch {
    /* Not compiled yet. */
  }
  const compiled = require('@swc/core').transformSync(source, { filename, ...SETTINGS }).code
  const code = `${version}${compiled}`
  const written = new URL(`${kept.href}.${process.pid}`)
  writeFileSync(written, code)
  renameSync(written, kept)
  return code
}

mkdirSync(KEPT, { recursive: true })
process.setSourceMapsEnabled(true)

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context)
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.url?.endsWith('.js')) {
        throw error
      }
      return next(error.url.replace(/\.js$/, '.ts'), context)
    }
  },
  load(url, context, next) {
    const [file] = url.split('?')
    return file.startsWith('file:') && file.endsWith('.ts')
      ? { format: 'module', source: compile(fileURLToPath(file)), shortCircuit: true }
      : next(url, context)
  },
})
