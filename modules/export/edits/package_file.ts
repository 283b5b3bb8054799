import type { Sources } from '#export/sources'
import { ExportRefused, type Target } from '#export/target'

interface Own {
  imports: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

const PATH = 'package.json'

/** Drivers that the other application has for its own database. Without one, its types are enough. */
const DRIVERS = new Set(['better-sqlite3'])

/**
 * Adds aliases and packages. A package that is there keeps its version.
 *
 * @param own package.json of this repository
 * @throws {ExportRefused} when an alias stands for another folder there
 */
export function editPackage(target: Target, own: Own, { aliases, packages }: Sources): void {
  const content = target.package
  content.imports ??= {}
  for (const alias of aliases) {
    const taken = content.imports[alias]
    if (taken !== undefined && taken !== own.imports[alias]) {
      throw new ExportRefused(
        `package.json has the alias "${alias}" for ${taken}: rename it, the features need it.`
      )
    }
    content.imports[alias] = own.imports[alias]!
  }
  const runtime = [...packages].filter((name) => !DRIVERS.has(name))
  const types = [...packages].map(typesOf)
  content.dependencies = merged(content.dependencies, pick(own.dependencies, runtime, target))
  content.devDependencies = merged(
    content.devDependencies,
    pick(own.devDependencies, types, target)
  )
  target.workspace.write(PATH, `${JSON.stringify(content, null, 2)}\n`)
}

const typesOf = (name: string) => `@types/${name.replace('@', '').replace('/', '__')}`

function pick(versions: Record<string, string>, names: readonly string[], target: Target) {
  const wanted = names.filter((name) => versions[name] !== undefined && !target.has(name)).sort()
  return Object.fromEntries(wanted.map((name) => [name, versions[name]!]))
}

function merged(list: Record<string, string> | undefined, added: Record<string, string>) {
  return Object.fromEntries(
    Object.entries({ ...list, ...added }).sort(([one], [other]) => (one < other ? -1 : 1))
  )
}
