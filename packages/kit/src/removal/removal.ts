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

/** The files of an application. */
class Project {
  constructor(protected root: string) {}

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8')
  }

  /** Paths of the files that patterns name, those in folders among them. */
  find(patterns: string[]): string[] {
    return globSync(patterns, { cwd: this.root }).flatMap((path): string[] =>
      statSync(join(this.root, path)).isDirectory() ? this.find([`${path}/*`]) : [path]
    )
  }
}

/**
 * What goes with features, in an application. Nothing is on the disk yet.
 *
 * @param ran names of the migrations that the database has, as in `adonis_schema`
 * @returns the new text of each file that changes, null for one that goes; and what is left for a person
 */
export function planRemoval(root: string, names: readonly string[], ran: ReadonlySet<string>) {
  const project = new Project(root)
  const files = planMigrations(project, names, ran)
  const gone = goneWith(project, names)
  gone.files.forEach((path) => files.set(path, null))

  const byHand: string[] = []
  for (const path of project.find(TEXTS).filter((one) => !files.has(one))) {
    const before = project.read(path)
    const { text, left } = changed(path, before, names, gone)
    byHand.push(...left.map((one) => `${path}: ${one.split('\n')[0]}`))
    if (text !== before) {
      files.set(path, text)
    }
  }
  return { files, byHand }
}

const listed = (names: readonly string[], key: keyof Feature) =>
  names.flatMap((name) => list(FEATURES[name]?.[key]))

function goneWith(project: Project, names: readonly string[]): Gone {
  const packages = listed(names, 'packages')
  const provider = RegExp(`/providers/(?:auth_)?(?:${names.join('|')})_provider$`)
  const files = new Set(
    project.find([
      ...names.map((name) => `{start,start/openapi,config,tests/*}/${name}{.ts,}`),
      ...names.map((name) => `resources/lang/*/${name}.json`),
      ...names.map((name) => `providers/{auth_,}${name}_provider.ts`),
      ...names.map((name) => `docs/${name.replaceAll('_', '-')}.md`),
      ...listed(names, 'files'),
    ])
  )
  const makers = listed(names, 'guard').join('|') || '(?!)'
  const made = project.read('config/auth.ts').matchAll(RegExp(`(\\w+): (?:${makers})\\(`, 'g'))
  const guards = new Set([...made].map(([, name]) => name!))
  const keys = [
    ...[...listed(names, 'settings'), ...[...guards].map((name) => `auth/guards/${name}`)],
    ...[...listed(names, 'words'), ...listed(names, 'env').map((name) => `env/${name}`)],
    ...packages.map((name) => `package/dependencies/${name}`),
  ]
  const aliases: Record<string, string> = JSON.parse(project.read('package.json')).imports
  const room = RegExp(`^(?:#|adonis-auth-kit/)(?:${names.join('|')})/middleware/`)
  return {
    files,
    guards,
    imports: (specifier, from) =>
      (from === 'start/kernel.ts' && room.test(specifier)) ||
      provider.test(specifier) ||
      packages.some((name) => specifier.startsWith(`${name}/`)) ||
      files.has(resolve(specifier, from, aliases)),
    key: (path, key) =>
      /^(?:config|resources|start\/env|package)\b/.test(path) &&
      matches(keys, `${basename(path, extname(path))}/${key}`),
  }
}

/** The text of a file without what is gone, and the code that is left for a person. */
function changed(path: string, before: string, names: readonly string[], gone: Gone) {
  const rest = withoutMarked(before, new Set(names))
  if (!/\.(?:ts|json)$/.test(path)) {
    const variables = listed(names, 'env')
    return { text: withoutVariables(rest, (name) => matches(variables, name)), left: [] }
  }
  const { text: cut, left } = withoutGone(path, rest, gone)
  const code = cut === before ? before : withoutUnused(cut, before)
  const text = path === 'adonisrc.ts' ? withRecord(code, names) : withDefaultGuard(path, code, gone)
  return { text, left }
}

/** Migrations that have not run go; others stay, and one more drops what they made. What an earlier removal has dropped is left to that one. */
function planMigrations(project: Project, names: readonly string[], ran: ReadonlySet<string>) {
  const made = (of: readonly string[], key: 'migrations' | 'additions' = 'migrations') =>
    project.find(listed(of, key).map((pattern) => `database/migrations/${pattern}`)).sort()
  const hasRun = (name: string) => made([name]).some((path) => ran.has(path.replace('.ts', '')))
  const kept = names.filter(hasRun)
  const dropped = new Set(made(removedFeatures(project.read('adonisrc.ts'))))
  const staying = new Set([...made(kept), ...dropped])
  const files = new Map<string, string | null>(
    made(names).flatMap((path) => (staying.has(path) ? [] : [[path, null]]))
  )
  if (kept.length) {
    const left = (paths: string[]) =>
      paths.filter((path) => !dropped.has(path)).map((path) => basename(path, '.ts'))
    const stamp = new Date().toISOString().replaceAll(/[-T]/g, '_').replaceAll(':', '').slice(0, 17)
    const what = kept.length > 2 ? 'features' : kept.join('_and_')
    const text = droppingMigration(left(made(kept)), left(made(kept, 'additions')))
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
