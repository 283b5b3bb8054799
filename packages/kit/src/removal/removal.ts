import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, matchesGlob, posix } from 'node:path'

import string from '@adonisjs/core/helpers/string'
import { DateTime } from 'luxon'

import { assertCommand } from '#process/kit_command'
import { keepingLineEnds, withNewlines } from '#process/line_ends'
import { withoutGuards, withoutItems, withoutMarked, withoutUnusedImports } from '#removal/code'
import { FEATURES, type Feature } from '#removal/features'
import { stubsRoot } from '#stubs/main'

/** Where parts of features stand between marks, and guards are named. */
const TEXTS = '{app,bin,commands,config,database,providers,resources,start,tests}/**/*.{ts,edge}'

/** What lists settings, variables, words, packages and files of features. */
const SHARED = [
  '{adonisrc.ts,package.json,compose.yaml,.env*,.adonisjs/server/controllers.ts}',
  '{config/{auth,scopes,throttle}.ts,start/{env,kernel,openapi}.ts,resources/lang/*/pages.json}',
]

/** Where links lead to pages of features. */
const DOCUMENTS = '{*,docs/*,.agents/skills/*/*}.md'

type Names = readonly string[]
const listed = (names: Names, key: keyof Feature) =>
  names.flatMap((name) => FEATURES[name]![key]?.split(/\s+/) ?? [])
const matches = (path: string, patterns: Names) =>
  patterns.some((pattern) => matchesGlob(path, pattern))
const read = (root: string, path: string) => readFileSync(join(root, path), 'utf8')
const slashed = (path: string) => path.replaceAll('\\', '/')
const dashed = (name: string) => name.replaceAll('_', '-')
const MIGRATIONS = 'database/migrations/'
const isMigration = (path: string) => path.startsWith(MIGRATIONS)

/** The features with these names, and those that cannot do without them. No message offers those that are `out`. @throws {CommandRefused} for a name that no feature has */
export function select(names: Names, out: Names = []): string[] {
  const known = Object.keys(FEATURES)
  const unknown = names.find((name) => !known.includes(name))
  const problem = names.length ? `There is no feature "${unknown}"` : 'Name the features'
  const left = known.filter((name) => !out.includes(name))
  const areKnown = unknown === undefined && names.length > 0
  assertCommand(areKnown, `${problem}. What can be taken out: ${left.join(', ')}`)
  return known.filter((name) =>
    [name, ...listed([name], 'needs')].some((one) => names.includes(one))
  )
}

/**
 * What goes with features, in an application. Nothing is on the disk yet.
 * @param ran names of the migrations that the database has, as in `adonis_schema`
 * @returns the new text of each file that changes, null for one that goes; and what is left for a person
 */
export function planRemoval(root: string, names: Names, ran: ReadonlySet<string>) {
  const removed = [...new Set([...removedFeatures(read(root, 'adonisrc.ts')), ...names])].sort()
  const gone = filesOf(root, names, removed)
  const files = planMigrations(root, names, gone.filter(isMigration), ran)
  gone.filter((path) => !isMigration(path)).forEach((path) => files.set(path, null))

  const cut = cutter(root, names, gone)
  const quoted = aliases(gone).map((name) => `'${name}'`)
  const staying = (patterns: Names) => find(root, patterns).filter((one) => !gone.includes(one))
  const edit = (path: string, change: (lines: string) => string) => {
    const before = files.get(path) ?? read(root, path)
    const after = keepingLineEnds(before, change)
    if (after !== before) files.set(path, after)
    return after
  }
  const byHand = staying([TEXTS, ...SHARED]).flatMap((path) => {
    const after = edit(path, (lines) => {
      const text = cut(path, withoutMarked(lines, removed))
      return text === lines || !path.endsWith('.ts') ? text : withoutUnusedImports(path, text)
    })
    return quoted.filter((one) => after.includes(one)).map((one) => `${path}: ${one}`)
  })
  for (const path of staying([DOCUMENTS])) {
    const isGone = (target: string) => gone.includes(posix.join(dirname(path), target))
    edit(path, (lines) => withoutLinks(lines, isGone))
  }
  edit('adonisrc.ts', (text) => withRecord(text, removed))
  return { files, byHand }
}

/** Paths of the files that patterns name, those in folders among them. */
function find(root: string, patterns: Names): string[] {
  const found = globSync([...patterns, ...patterns.map((one) => `${one}/**`)], { cwd: root })
  const paths = new Set(found.map(slashed))
  const isFile = (path: string) => statSync(join(root, path), { throwIfNoEntry: false })?.isFile()
  return [...paths].filter(isFile).sort()
}

/** The files of features: published with them, named like them, and listed. What one that stays publishes, too, is not among them. */
function filesOf(root: string, names: Names, removed: Names): string[] {
  const staying = published(Object.keys(FEATURES).filter((name) => !removed.includes(name)))
  return find(root, [
    ...published(names).filter((path) => !staying.includes(path)),
    ...names.map((name) => `{start,start/openapi,config,tests/*}/${name}{.ts,}`),
    ...names.map((name) => `resources/lang/*/${name}.json`),
    ...names.map((name) => `providers/{auth_,}${name}_provider.ts`),
    ...names.map((name) => `docs/${dashed(name)}.md`),
    ...listed(names, 'files'),
  ])
}

/** Paths in the application of the migrations, models and services that are published with features. */
function published(names: Names): string[] {
  const patterns = names.map((name) => `publish/{auth-,}${dashed(name)}/{app,database}/**/*.stub`)
  const stubs = globSync(patterns, { cwd: stubsRoot }).map(slashed)
  return stubs.map((path) => path.split('/').slice(2).join('/').replace('.stub', ''))
}

/** How code imports files. */
const aliases = (files: Names) => files.map((path) => path.replace(/^(?:app\/)?(.*)\.ts$/, '#$1'))

/** Takes what is gone out of the text of a file. */
function cutter(root: string, names: Names, gone: Names) {
  const kinds = names.map((name) => string.camelCase(name))
  const made = [...read(root, 'config/auth.ts').matchAll(/(\w+): (\w+)Guard\(/g)]
  const guards = made.flatMap(([, name, kind]) => (kinds.includes(kind!) ? name! : []))
  const left = made.find(([, name]) => !guards.includes(name!))?.[1]
  const old = RegExp(`(?<=\\bguard: ')(?:${guards.join('|')})(?=')`)
  const keys = [
    ...listed(names, 'keys'),
    ...guards.map((name) => `auth/**/guards/${name}`),
    ...(left ? [] : ['auth/**/default/guard']),
    ...names.map((name) => `adonisrc/**/{auth_,}${name}_provider`),
    ...names.map((name) => `kernel/**/${name}/middleware/*`),
    ...names.map((name) => `{scopes,pages}/**/${name}:*`),
    ...names.map((name) => `pages/{,start/documents/}{${name},${dashed(name)}}`),
  ]
  const loaded = [...aliases(gone), ...listed(names, 'packages')]

  return (path: string, text: string) => {
    const [file] = /\w+/.exec(basename(path))!
    const goes = (name: string, key: string) =>
      loaded.includes(name) || matches(`${file}/${key}`, keys)
    const rest = matches(path, SHARED) ? withoutItems(text.replace(old, left ?? '$&'), goes) : text
    return path.endsWith('.json') ? rest.replaceAll(/,(\s*\})/g, '$1') : withoutGuards(rest, guards)
  }
}

/** Migrations go when none of them has run; else they stay, and one more drops what they made, but for what an earlier one drops. */
function planMigrations(root: string, names: Names, gone: Names, ran: ReadonlySet<string>) {
  const earlier = find(root, [`${MIGRATIONS}*_drop_*.ts`]).map((path) => read(root, path))
  const made = gone.filter((path) => !earlier.join().includes(basename(path, '.ts')))
  const files = new Map<string, string | null>()
  if (made.some((path) => ran.has(path.replace('.ts', '')))) {
    const ofOthers = listed(names, 'files').filter((pattern) => pattern.includes('/*_add_'))
    const additions = made.filter((path) => matches(path, ofOthers))
    const what = names.length > 2 ? 'features' : names.join('_and_')
    const stamp = DateTime.utc().toFormat('yyyy_MM_dd_HHmmss')
    files.set(`${MIGRATIONS}${stamp}_drop_${what}.ts`, droppingMigration(made, additions))
  } else {
    made.forEach((path) => files.set(path, null))
  }
  return files
}

/** A migration that undoes others, whose way back is to run them again: it drops their tables, and lets the `down` of additions take columns out of others. */
function droppingMigration(made: Names, additions: Names): string {
  const tables = made.toReversed().flatMap((path) => /_create_(\w+)_table/.exec(path)?.[1] ?? [])
  const listOf = (paths: Names) => JSON.stringify(paths.map((path) => basename(path, '.ts')))
  return `import { BaseSchema } from '@adonisjs/lucid/schema'

/** What was stored is deleted for good: a rollback makes empty tables and columns. */
export default class extends BaseSchema {
  async up() {
    await this.runAll(${listOf(additions.toReversed())}, 'execDown')
    ${tables.map((table) => `this.schema.dropTableIfExists('${table}')`).join('\n    ')}
  }

  async down() {
    await this.runAll(${listOf(made)}, 'execUp')
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

const RECORD = /(?:\n\/\*\*.*\*\/\n)?export const removedFeatures = \[([^\]]*)\]\n/

/** The features that adonisrc.ts says are gone. */
export const removedFeatures = (adonisrc: string): string[] =>
  RECORD.exec(withNewlines(adonisrc))?.[1]?.match(/\w+/g) ?? []

/** adonisrc.ts with the names of the features that are gone, of which an upgrade brings nothing. */
export const withRecord = (adonisrc: string, removed: Names): string =>
  `${adonisrc.replace(RECORD, '')}
/** What "node ace feature:remove" has taken out: upgrades bring nothing of it. */
export const removedFeatures = [${removed.map((name) => `'${name}'`).join(', ')}]
`

/** A document whose links to files that are gone are words. A row of a table that is about such a file, because it begins with a link to it, goes. */
export const withoutLinks = (text: string, isGone: (target: string) => boolean): string =>
  text
    .replaceAll(/^\| \[[^[\]]*\]\(([^()#]+)[^()]*\) \|.*\n/gm, (row, to) => (isGone(to) ? '' : row))
    .replaceAll(/\[([^[\]]*)\]\(([^()#]+)[^()]*\)/g, (link, words, to) =>
      isGone(to) ? words : link
    )
