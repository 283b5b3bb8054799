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
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
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
  keep(kept, code)
  return code
}

/** Other processes see all of it or none. */
function keep(file, text) {
  const written = new URL(`${file.href}.${process.pid}`)
  writeFileSync(written, text)
  renameSync(written, file)
}

const KIT = 'packages/kit/'
const manifest = (folder) =>
  JSON.parse(readFileSync(new URL(`${folder}package.json`, ROOT), 'utf8'))

/* Exact names first, then the longest: as Node.js has it. */
const patterns = (folder, names) =>
  Object.entries(names)
    .map(([name, file]) => [name.split('*'), new URL(folder + file, ROOT).href.split('*')])
    .sort(([a], [b]) => a.length - b.length || b[0].length - a[0].length)

const { name: kit, imports: kitImports, exports: kitExports } = manifest(KIT)
const EXPORTED = patterns(
  KIT,
  Object.fromEntries(Object.entries(kitExports).map(([name, file]) => [kit + name.slice(1), file]))
)

/* The inner one first, with what its "#names/", and the kit's name, lead to. */
const PACKAGES = [
  [KIT, kitImports],
  ['', manifest('').imports],
].map(([folder, imports]) => ({
  folder: new URL(folder, ROOT).href,
  names: [...patterns(folder, imports), ...EXPORTED],
}))

const folderOf = (parent) =>
  parent.includes('/node_modules/')
    ? undefined
    : PACKAGES.find(({ folder }) => parent.startsWith(folder))

/* Where the TypeScript of an import may be. Node.js looks for JavaScript, and its error for what is not there takes long. */
function sourceOf(specifier, parent, { names }) {
  if (specifier.startsWith('.')) {
    return new URL(specifier.replace(JAVASCRIPT, '.ts'), parent)
  }
  const isNamed = ([[start, end]]) =>
    end === undefined ? specifier === start : specifier.startsWith(start) && specifier.endsWith(end)
  const [[start, end = ''] = [], file] = names.find(isNamed) ?? []
  return (
    file &&
    new URL(file.join(specifier.slice(start.length, -end.length || undefined)).replace(/js$/, 'ts'))
  )
}

function resolveByNode(specifier, context, next) {
  try {
    return next(specifier, context)
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !JAVASCRIPT.test(error.url)) {
      throw error
    }
    return next(error.url.replace(JAVASCRIPT, '.ts'), context)
  }
}

/*
 * What a name of a package leads to is the same for all files of a folder, for as long as nothing else is installed.
 * Node.js looks again for each file and in each process: a sixth of what a start takes.
 */
const INSTALLED = new URL('node_modules/.package-lock.json', ROOT)
const RESOLVED = new URL(`resolved-${hash(`${statSync(INSTALLED).mtimeMs}`)}`, KEPT)
const resolved = new Map(existsSync(RESOLVED) ? JSON.parse(readFileSync(RESOLVED, 'utf8')) : [])
const known = resolved.size

function resolveOnce(specifier, context, next) {
  const folder = context.parentURL.slice(0, context.parentURL.lastIndexOf('/'))
  const key = `${folder} ${specifier} ${context.conditions.includes('require')}`
  const found = resolved.get(key)
  if (found) {
    return { ...found, shortCircuit: true }
  }
  const { url, format } = resolveByNode(specifier, context, next)
  url.includes('/node_modules/') && resolved.set(key, { url, format })
  return { url, format, shortCircuit: true }
}

process.on('exit', () => resolved.size > known && keep(RESOLVED, JSON.stringify([...resolved])))

mkdirSync(KEPT, { recursive: true })

registerHooks({
  resolve(specifier, context, next) {
    /* Its work is done here: a second one, in a thread of its own, takes as long as the command. */
    if (specifier === '@poppinss/ts-exec') {
      return { url: 'data:text/javascript,', format: 'module', shortCircuit: true }
    }
    if (specifier.startsWith('node:') || !context.parentURL) {
      return resolveByNode(specifier, context, next)
    }
    const own = folderOf(context.parentURL)
    const source = own && sourceOf(specifier, context.parentURL, own)
    if (source?.pathname.endsWith('.ts') && existsSync(source)) {
      return { url: source.href, format: 'module', shortCircuit: true }
    }
    return own && /^[.#]/.test(specifier)
      ? resolveByNode(specifier, context, next)
      : resolveOnce(specifier, context, next)
  },
  load(url, context, next) {
    const [file] = url.split('?')
    return file.startsWith('file:') && file.endsWith('.ts')
      ? { format: 'module', source: compile(fileURLToPath(file)), shortCircuit: true }
      : next(url, context)
  },
})
