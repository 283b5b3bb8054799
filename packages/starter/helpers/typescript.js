/*
|--------------------------------------------------------------------------
| TypeScript for tests, and for the processes that they start
|--------------------------------------------------------------------------
|
| Does what ts-exec does, in the process's own thread, and keeps the compiled
| code in tmp/typescript: a server starts in less than half the time.
|
*/

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

const ROOT = new URL('../../../', import.meta.url)
const KEPT = new URL('tmp/typescript/', ROOT)
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

/* Tests import some modules anew, with a query. */
const JAVASCRIPT = /\.js(?=\?|$)/

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

/* The inner one first, with what its "#names/" lead to. */
const PACKAGES = ['packages/kit/', ''].map((path) => {
  const folder = new URL(path, ROOT).href
  const { imports } = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
  const rooms = Object.entries(imports).map((entry) => entry.map((one) => one.split('*')[0]))
  return { folder, rooms }
})

/* Where the TypeScript of an import may be. Node.js looks for JavaScript, and its error for what is not there takes long. */
function sourceOf(specifier, parent = '') {
  const { folder, rooms } = PACKAGES.find((one) => parent.startsWith(one.folder)) ?? {}
  if (!folder || parent.includes('/node_modules/')) {
    return null
  }
  if (specifier.startsWith('.')) {
    return new URL(specifier.replace(JAVASCRIPT, '.ts'), parent)
  }
  const [name, room] = rooms.find(([one]) => specifier.startsWith(one)) ?? []
  return name ? new URL(`${room}${specifier.slice(name.length)}.ts`, folder) : null
}

mkdirSync(KEPT, { recursive: true })

registerHooks({
  resolve(specifier, context, next) {
    const source = sourceOf(specifier, context.parentURL)
    if (source?.pathname.endsWith('.ts') && existsSync(source)) {
      return { url: source.href, format: 'module', shortCircuit: true }
    }
    try {
      return next(specifier, context)
    } catch (error) {
      if (error.code !== 'ERR_MODULE_NOT_FOUND' || !JAVASCRIPT.test(error.url)) {
        throw error
      }
      return next(error.url.replace(JAVASCRIPT, '.ts'), context)
    }
  },
  load(url, context, next) {
    const [file] = url.split('?')
    return file.startsWith('file:') && file.endsWith('.ts')
      ? { format: 'module', source: compile(fileURLToPath(file)), shortCircuit: true }
      : next(url, context)
  },
})
