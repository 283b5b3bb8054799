import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, join, matchesGlob, relative } from 'node:path'

import string from '@adonisjs/core/helpers/string'
import { DateTime } from 'luxon'
import ts from 'typescript'

import { CommandRefused } from '#process/kit_command'
import {
  type Gone,
  withoutGone,
  withoutMarked,
  withoutUnused,
  withoutVariables,
} from '#removal/code'
import { FEATURES, type Feature } from '#removal/features'

/** Where features leave something behind. */
const TEXTS = [
  '{app,bin,commands,config,database,providers,resources,start,tests,.adonisjs}/**/*.{ts,edge,json}',
  '{adonisrc.ts,package.json,compose.yaml,.env*}',
]

const list = (text = '') => text.split(/\s+/).filter(Boolean)
const listed = (names: readonly string[], key: keyof Feature) =>
  names.flatMap((name) => list(FEATURES[name]?.[key]))
const matches = (patterns: readonly string[], text: string) =>
  patterns.some((pattern) => matchesGlob(text, pattern))

/**
 * The features with these names, and those that cannot do without them.
 *
 * @throws {CommandRefused} for a name that no feature has
 */
export function select(names: readonly string[]): string[] {
  const known = Object.keys(FEATURES)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined || !names.length) {
    const problem = names.length ? `There is no feature "${unknown}"` : 'Name the features'
    throw new CommandRefused(`${problem}. What can be taken out: ${known.join(', ')}`)
  }
  const isGone = (name: string) =>
    [name, ...listed([name], 'needs')].some((one) => names.includes(one))
  const all = known.filter(isGone)
  return all.length > new Set(names).size ? select(all) : all
}

/**
 * What goes with features, in an application. Nothing is on the disk yet.
 *
 * @param ran names of the migrations that the database has, as in `adonis_schema`
 * @returns the new text of each file that changes, null for one that goes; and what is left for a person
 */
export function planRemoval(root: string, names: readonly string[], ran: ReadonlySet<string>) {
  const files = planMigrations(root, names, ran)
  const gone = goneWith(root, names)
  gone.files.forEach((path) => files.set(path, null))

  const byHand: string[] = []
  for (const path of find(root, TEXTS).filter((one) => !files.has(one))) {
    const before = read(root, path)
    const { text, left } = changed(path, before, names, gone)
    byHand.push(...left.map((one) => `${path}: ${one.split('\n')[0]}`))
    if (text !== before) {
      files.set(path, text)
    }
  }
  return { files, byHand }
}

const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8')

/** Paths of the files that patterns name, those in folders among them. */
function find(root: string, patterns: readonly string[]): string[] {
  return globSync(patterns, { cwd: root }).flatMap((path) =>
    statSync(join(root, path)).isDirectory() ? find(root, [`${path}/*`]) : [path]
  )
}

function goneWith(root: string, names: readonly string[]): Gone {
  const packages = listed(names, 'packages')
  const files = new Set(
    find(root, [
      ...names.map((name) => `{start,start/openapi,config,tests/*}/${name}{.ts,}`),
      ...names.map((name) => `resources/lang/*/${name}.json`),
      ...names.map((name) => `providers/{auth_,}${name}_provider.ts`),
      ...names.map((name) => `docs/${name.replaceAll('_', '-')}.md`),
      ...listed(names, 'files'),
    ])
  )
  const makers = names.map((name) => `${string.camelCase(name)}Guard`).join('|')
  const made = read(root, 'config/auth.ts').matchAll(RegExp(`(\\w+): (?:${makers})\\(`, 'g'))
  const guards = new Set([...made].map(([, name]) => name!))
  const keys = [
    ...listed(names, 'keys'),
    ...[...guards].map((name) => `auth/guards/${name}`),
    ...packages.map((name) => `package/dependencies/${name}`),
  ]
  const middleware = RegExp(`^(?:#|adonis-auth-kit/)(?:${names.join('|')})/middleware/`)
  const provider = RegExp(`/providers/(?:auth_)?(?:${names.join('|')})_provider$`)
  return {
    files,
    guards,
    imports: (specifier, from) =>
      (from === 'start/kernel.ts' && middleware.test(specifier)) ||
      provider.test(specifier) ||
      packages.some((name) => specifier.startsWith(`${name}/`)) ||
      (/^[#.]/.test(specifier) && files.has(resolve(root, specifier, from))),
    key: (path, key) =>
      /^(?:config|resources|start\/env|package)\b/.test(path) &&
      matches(keys, `${basename(path, extname(path))}/${key}`),
  }
}

/** The path of the file that a specifier stands for. */
function resolve(root: string, specifier: string, from: string): string {
  const options = { moduleResolution: ts.ModuleResolutionKind.NodeNext, preserveSymlinks: true }
  const { resolvedModule } = ts.resolveModuleName(specifier, join(root, from), options, ts.sys)
  return resolvedModule ? relative(root, resolvedModule.resolvedFileName) : ''
}

/** The text of a file without what is gone, and the code that is left for a person. */
function changed(path: string, before: string, names: readonly string[], gone: Gone) {
  const rest = withoutMarked(before, names)
  if (!/\.(?:ts|json)$/.test(path)) {
    return { text: withoutVariables(rest, (name) => gone.key('start/env.ts', name)), left: [] }
  }
  const { text: cut, left } = withoutGone(path, rest, gone)
  const code = cut === before ? before : withoutUnused(cut, before)
  const text = path === 'config/auth.ts' ? withDefaultGuard(code, gone.guards) : code
  return { text: path === 'adonisrc.ts' ? withRecord(text, names) : text, left }
}

/** The first guard that is left takes the place of a default one that is gone. */
function withDefaultGuard(text: string, guards: ReadonlySet<string>): string {
  const [, first] = /guards: \{\s*(\w+):/.exec(text) ?? []
  const other = first ? `guard: '${first}', ` : ''
  return text.replace(/\bguard: '(\w+)',? ?/, (all, name) => (guards.has(name) ? other : all))
}

/** Migrations that have not run go; others stay, and one more drops what they made. What an earlier removal has dropped is left to that one. */
function planMigrations(root: string, names: readonly string[], ran: ReadonlySet<string>) {
  const made = (patterns: readonly string[]) =>
    find(root, ['database/migrations/*'])
      .filter((path) => matches(patterns, basename(path)))
      .sort()
  const madeBy = (of: readonly string[]) => made(listed(of, 'migrations'))
  const hasRun = (path: string) => ran.has(path.replace('.ts', ''))
  const kept = names.filter((name) => madeBy([name]).some(hasRun))
  const dropped = madeBy(removedFeatures(read(root, 'adonisrc.ts')))
  const staying = [...madeBy(kept), ...dropped]
  const files = new Map<string, string | null>()
  madeBy(names).forEach((path) => staying.includes(path) || files.set(path, null))
  if (kept.length) {
    const left = (paths: string[]) =>
      paths.filter((path) => !dropped.includes(path)).map((path) => basename(path, '.ts'))
    const additions = made(listed(kept, 'migrations').filter((one) => one.startsWith('*_add_')))
    const stamp = DateTime.utc().toFormat('yyyy_MM_dd_HHmmss')
    const what = kept.length > 2 ? 'features' : kept.join('_and_')
    const text = droppingMigration(left(madeBy(kept)), left(additions))
    files.set(`database/migrations/${stamp}_drop_${what}.ts`, text)
  }
  return files
}

/**
 * A migration that drops the tables that others have made, whose way back is to run them again.
 *
 * @param made names of all migrations that are undone, in their order
 * @param additions those whose `down` takes columns out of tables that stay
 */
function droppingMigration(made: readonly string[], additions: readonly string[]): string {
  const tables = made.toReversed().flatMap((name) => /_create_(\w+)_table$/.exec(name)?.[1] ?? [])
  return `import { BaseSchema } from '@adonisjs/lucid/schema'

/** What was stored is deleted for good: a rollback makes empty tables and columns. */
export default class extends BaseSchema {
  async up() {
    await this.runAll(${JSON.stringify(additions.toReversed())}, 'execDown')
    ${tables.map((table) => `this.schema.dropTableIfExists('${table}')`).join('\n    ')}
  }

  async down() {
    await this.runAll(${JSON.stringify(made)}, 'execUp')
  }

  async runAll(names: string[], way: 'execUp' | 'execDown') {
    for (const name of names) {
      const { default: Made } = await import(\`./\${name}.js\`)
      await new Made(this.db, this.file, this.dryRun)[way]()
    }
  }
}
`
}

/** adonisrc.ts with the names of features that are gone, which `kit:upgrade` leaves alone. */
export function withRecord(text: string, names: readonly string[]): string {
  const all = [...new Set([...removedFeatures(text), ...names])].sort()
  const line = `export const removedFeatures = [${all.map((name) => `'${name}'`).join(', ')}]\n`
  const rest = text.replace(RECORD, '').trimEnd()
  return `${rest}\n\n/** What "node ace feature:remove" has taken out: upgrades bring nothing of it. */\n${line}`
}

const RECORD = /(?:\/\*\*.*\*\/\n)?export const removedFeatures = \[([^\]]*)\]\n?/

/** The features that adonisrc.ts says are gone. */
export const removedFeatures = (adonisrc: string): string[] =>
  (RECORD.exec(adonisrc)?.[1] ?? '').match(/\w+/g) ?? []
