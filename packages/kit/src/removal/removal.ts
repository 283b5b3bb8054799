import { globSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, extname, join, matchesGlob } from 'node:path'

import { RuntimeException } from '@adonisjs/core/exceptions'

import { type Gone, withoutGone, withoutUnused } from '#removal/code'
import { FEATURES, type Feature } from '#removal/features'
import {
  droppingMigration,
  removedFeatures,
  withRecord,
  withoutMarked,
  withoutVariables,
} from '#removal/texts'

/** Where features leave something behind. */
const TEXTS = [
  '{app,bin,commands,config,database,providers,resources,start,tests,.adonisjs}/**/*.{ts,edge,json}',
  '{adonisrc.ts,package.json,compose.yaml,.env*}',
]

/** A name that no feature has. */
export class UnknownFeature extends RuntimeException {}

const list = (text = '') => text.split(/\s+/).filter(Boolean)
const matches = (patterns: string[], text: string) =>
  patterns.some((pattern) => matchesGlob(text, pattern))

/**
 * The features with these names, and those that cannot do without them.
 *
 * @throws {UnknownFeature} for a name that no feature has
 */
export function select(names: readonly string[]): string[] {
  const known = Object.keys(FEATURES)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined || !names.length) {
    const problem = names.length ? `There is no feature "${unknown}"` : 'Name the features'
    throw new UnknownFeature(`${problem}. What can be taken out: ${known.join(', ')}`)
  }
  const isGone = (name: string) =>
    [name, ...list(FEATURES[name]!.needs)].some((one) => names.includes(one))
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
  const listed = (key: keyof Feature) => names.flatMap((name) => list(FEATURES[name]![key]))
  const read = (path: string) => readFileSync(join(root, path), 'utf8')
  const find = (patterns: string[]) =>
    globSync(patterns, { cwd: root }).flatMap((path): string[] =>
      statSync(join(root, path)).isDirectory() ? find([`${path}/*`]) : [path]
    )
  const named = names.flatMap((name) => [
    `{start,start/openapi,config,tests/*}/${name}{.ts,}`,
    `resources/lang/*/${name}.json`,
    `providers/${FEATURES[name]!.provider}.ts`,
  ])
  const deleted = find([...named, ...listed('files')])
  const removed = removedFeatures(read('adonisrc.ts'))
  const files = planMigrations(names, find, ran, removed)
  deleted.forEach((path) => files.set(path, null))

  const aliases: Record<string, string> = JSON.parse(read('package.json')).imports
  const makers = listed('guard').join('|') || '(?!)'
  const guards = [...read('config/auth.ts').matchAll(RegExp(`(\\w+): (?:${makers})\\(`, 'g'))]
  const keys = [
    ...[...listed('settings'), ...guards.map(([, name]) => `auth/guards/${name}`)],
    ...[...listed('words'), ...listed('env').map((name) => `env/${name}`)],
    ...listed('packages').map((name) => `package/dependencies/${name}`),
  ]
  const room = RegExp(`^(?:#|adonis-auth-kit/)(?:${names.join('|')})/middleware/`)
  const gone: Gone = {
    files: new Set(deleted),
    guards: new Set(guards.map(([, name]) => name!)),
    imports: (specifier, from) =>
      (from === 'start/kernel.ts' && room.test(specifier)) ||
      listed('provider').includes(specifier.replace('adonis-auth-kit/providers/', '')) ||
      listed('packages').some((name) => specifier.startsWith(`${name}/`)) ||
      gone.files.has(resolve(specifier, from, aliases)),
    key: (path, key) =>
      /^(?:config|resources|start\/env|package)\b/.test(path) &&
      matches(keys, `${basename(path, extname(path))}/${key}`),
  }
  const byHand: string[] = []
  const change = (path: string, text: string): string => {
    const rest = withoutMarked(text, new Set(names))
    if (!/\.(?:ts|json)$/.test(path)) {
      return withoutVariables(rest, (name) => matches(listed('env'), name))
    }
    const { text: cut, left } = withoutGone(path, rest, gone)
    byHand.push(...left.map((one) => `${path}: ${one.split('\n')[0]}`))
    const code = cut === text ? text : withoutUnused(cut, text)
    return path === 'adonisrc.ts' ? withRecord(code, names) : withDefaultGuard(path, code, gone)
  }
  for (const path of find(TEXTS).filter((one) => !files.has(one))) {
    const before = read(path)
    const after = change(path, before)
    if (after !== before) {
      files.set(path, after)
    }
  }
  return { files, byHand }
}

/** Migrations that have not run go; others stay, and one more drops what they made. What an earlier removal has dropped is left to that one. */
function planMigrations(
  names: readonly string[],
  find: (patterns: string[]) => string[],
  ran: ReadonlySet<string>,
  removed: readonly string[]
): Map<string, string | null> {
  const files = new Map<string, string | null>()
  const made = (of: readonly string[], key: 'migrations' | 'additions') =>
    find(
      of.flatMap((name) => list(FEATURES[name]?.[key]).map((one) => `database/migrations/${one}`))
    )
  const dropped = new Set(made(removed, 'migrations'))
  const namesOf = (paths: readonly string[]) =>
    [...new Set(paths)].filter((path) => !dropped.has(path)).map((path) => basename(path, '.ts'))
  const kept = names.filter((name) => {
    const own = made([name], 'migrations')
    const hasRun = own.some((path) => ran.has(path.replace('.ts', '')))
    own.forEach((path) => hasRun || dropped.has(path) || files.set(path, null))
    return hasRun
  })
  if (kept.length) {
    made(kept, 'migrations').forEach((path) => files.delete(path))
    const stamp = new Date().toISOString().replaceAll(/[-T]/g, '_').replaceAll(':', '').slice(0, 17)
    const what = kept.length > 2 ? 'features' : kept.join('_and_')
    const text = droppingMigration({
      tables: kept.flatMap((name) => list(FEATURES[name]!.tables)),
      additions: namesOf(made(kept, 'additions')).sort().reverse(),
      made: namesOf(made(kept, 'migrations')).sort(),
    })
    files.set(`database/migrations/${stamp}_drop_${what}.ts`, text)
  }
  return files
}

/** In config/auth.ts the first guard that is left takes the place of a default one that is gone. */
const withDefaultGuard = (path: string, text: string, { guards }: Gone) =>
  text.replace(/\bguard: '(\w+)',? ?/, (all, name) => {
    const [, first] = /guards: \{\s*(\w+):/.exec(text) ?? []
    return path !== 'config/auth.ts' || !guards.has(name)
      ? all
      : first
        ? all.replace(name, first)
        : ''
  })

/** The path of the TypeScript file that a specifier stands for. */
function resolve(specifier: string, from: string, aliases: Record<string, string>): string {
  const [alias = '', target = ''] =
    Object.entries(aliases)
      .filter(([one]) => specifier.startsWith(one.slice(0, -1)))
      .sort(([one], [other]) => other.length - one.length)[0] ?? []
  const path = alias
    ? target.replace('*', specifier.slice(alias.length - 1))
    : join(dirname(from), specifier)
  return join(path).replace(/\.js$/, '.ts')
}
