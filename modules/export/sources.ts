import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Aliases, importsOf, packageOf } from '#export/imports'
import { plainPage, pageWords, WORDS } from '#export/pages'
import { ROW_CLASSES, rewrite } from '#export/rewriting'
import { rowClasses, rowClassesIn } from '#export/row_classes'
import type { Manifest } from '#removal/manifests'

const PAGES = 'resources/views/pages/oauth/'

/** Which of the files that a manifest names go along. Its tests, documents and pages are about this application. */
const TAKEN =
  /^(?:commands|database\/migrations|modules|providers|stubs\/make)\/|^config\/(?:oauth2|mcp)\.ts$/

/** This tool, which goes when OAuth is taken out, and stays here. */
const TOOL = ['commands/module_export.ts', 'modules/export']

/** Of the core that every feature stands on, what nothing imports by name. */
const CORE = [
  'commands/auth_purge.ts',
  'modules/auth/middleware/auth_middleware.ts',
  'modules/auth/middleware/optional_auth_middleware.ts',
  'modules/auth/middleware/scopes_middleware.ts',
  'modules/support/middleware/route_cors_middleware.ts',
]

/** What goes to another application. */
export interface Sources {
  /** Files by their path, as they will be there. */
  files: Map<string, string>
  /** Packages that they import. */
  packages: Set<string>
  /** Aliases that they are imported through. */
  aliases: Set<string>
  /** Variables of the environment that they read. */
  variables: Set<string>
}

export interface SourceOptions {
  /** Root of this repository. */
  root: string
  /** The features that go along. */
  exported: readonly Manifest[]
  /** What the other application is called, for the pages. */
  appName: string
}

/** The folders of `stubs/export` are the features that can be exported. */
export function exportable(root: string): string[] {
  return globSync('*', { cwd: join(root, 'stubs/export') }).sort()
}

/** Collects the files of features with everything that they import. */
export async function collectSources(options: SourceOptions): Promise<Sources> {
  const { root } = options
  const read = (path: string) => readFile(join(root, path), 'utf8')
  const { imports } = JSON.parse(await read('package.json')) as { imports: Record<string, string> }
  const found = await closure(new Aliases(imports), await begin(options), read)

  const files = new Map<string, string>()
  const classes = new Set<string>()
  for (const [path, text] of found.files) {
    rowClassesIn(text).forEach((name) => classes.add(name))
    files.set(path, rewrite(path, text))
  }
  if (classes.size) {
    files.set(ROW_CLASSES, rowClasses(await read('database/schema.ts'), classes))
  }
  return { ...found, files, variables: variablesIn(files) }
}

/** The files to begin with: those of the manifests, and what is written for other applications alone. */
async function begin({ root, exported, appName }: SourceOptions): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  const add = async (path: string, from = path) =>
    files.set(path, await readFile(join(root, from), 'utf8'))

  const named = exported
    .flatMap((manifest) => manifest.files)
    .filter((path) => TAKEN.test(path) && !TOOL.includes(path))
  const paths = globSync(
    named.map((path) => (/\.\w+$/.test(path) ? path : `${path}/**/*.*`)),
    { cwd: root }
  )
  for (const path of [...CORE, ...paths.filter((one) => !one.endsWith('/manifest.json'))]) {
    await add(path)
  }
  for (const { name } of exported) {
    for (const stub of globSync(`stubs/export/${name}/**/*.stub`, { cwd: root })) {
      await add(stub.slice(`stubs/export/${name}/`.length, -'.stub'.length), stub)
    }
  }
  for (const path of globSync(`${PAGES}*.edge`, { cwd: root })) {
    files.set(path, plainPage(await readFile(join(root, path), 'utf8')))
  }
  const words = await readFile(join(root, 'resources/lang/en/pages.json'), 'utf8')
  files.set(WORDS, pageWords(words, appName))
  return files
}

/** Follows the imports of code into the modules that the features stand on. */
async function closure(
  aliases: Aliases,
  files: Map<string, string>,
  read: (path: string) => Promise<string>
) {
  const packages = new Set<string>()
  const used = new Set<string>()
  for (const [path, text] of files) {
    for (const specifier of path.endsWith('.ts') ? importsOf(text) : []) {
      const name = packageOf(specifier)
      if (name !== null) {
        packages.add(name)
        continue
      }
      const target = aliases.resolve(specifier)
      if (target) {
        used.add(target.alias)
        if (target.path.startsWith('modules/') && !files.has(target.path)) {
          files.set(target.path, await read(target.path))
        }
      }
    }
  }
  return { files, packages, aliases: used }
}

function variablesIn(files: ReadonlyMap<string, string>): Set<string> {
  const code = [...files].filter(([path]) => path.startsWith('config/')).map(([, text]) => text)
  return new Set(code.join('\n').match(/(?<=\benv\.get\(')\w+/g))
}
