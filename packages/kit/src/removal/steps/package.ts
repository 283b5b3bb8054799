import { isBuiltin } from 'node:module'

import type { Workspace } from '#removal/workspace'

const PACKAGE = 'package.json'

/** Packages that a text names in quotes, alone or with a path behind. A name in a comment keeps a package: the safe side. */
function packagesIn(workspace: Workspace, known: readonly string[]): Set<string> {
  const named = new Set<string>()
  const names = known.map((name) => [name, new RegExp(`['"\`]${name}['"\`/]`)] as const)
  for (const path of workspace.paths) {
    if (/\.(?:[cm]?[jt]s|edge|sh)$/.test(path) && !path.endsWith('/package.json')) {
      const text = workspace.read(path)
      names.filter(([, quoted]) => quoted.test(text)).forEach(([name]) => named.add(name))
    }
  }
  return named
}

interface PackageFile {
  scripts: Record<string, string>
  imports: Record<string, string>
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
  allowScripts?: Record<string, boolean>
}

const parsed = (workspace: Workspace) => JSON.parse(workspace.read(PACKAGE)) as PackageFile

/** Packages of package.json that some file names. */
export function namedPackages(workspace: Workspace): Set<string> {
  const { dependencies, devDependencies } = parsed(workspace)
  return packagesIn(workspace, Object.keys({ ...dependencies, ...devDependencies }))
}

/**
 * Takes aliases and scripts out of package.json whose files are gone, and packages that were
 * named before and no longer are, with their types; returns these packages.
 */
export function removePackages(workspace: Workspace, before: ReadonlySet<string>): string[] {
  const now = namedPackages(workspace)
  const content = parsed(workspace)
  const unused = [...before].filter((name) => !now.has(name) && !isBuiltin(name))
  const types = unused.map((name) => `@types/${name.replace('@', '').replace('/', '__')}`)
  const gone = new Set([...unused, ...types])

  for (const alias of Object.keys(content.imports)) {
    /* `#mcp/tools/*` is the application's, and goes with the module `#mcp/*`. */
    const module = `modules/${/^#(\w+)/.exec(alias)![1]}`
    const isGone = workspace.removed.some((path) => path.startsWith(`${module}/`))
    if (isGone && workspace.below(module).length === 0) {
      delete content.imports[alias]
    }
  }
  for (const [name, command] of Object.entries(content.scripts)) {
    if (workspace.removed.some((path) => command.split(' ').includes(path))) {
      delete content.scripts[name]
    }
  }
  const lists = [content.dependencies, content.devDependencies]
  const removed = lists.flatMap((list) => Object.keys(list).filter((name) => gone.has(name)))
  for (const name of removed) {
    ;[...lists, content.allowScripts ?? {}].forEach((list) => delete list[name])
  }
  workspace.write(PACKAGE, `${JSON.stringify(content, null, 2)}\n`)
  return removed
}
