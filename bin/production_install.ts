import { readFile, writeFile } from 'node:fs/promises'

/** An entry of `packages` in a package-lock.json, or a package.json: what it needs. */
interface Package {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  /** Where a linked workspace lies: its own entry is under that path. */
  resolved?: string
  link?: boolean
}

export interface Lockfile {
  packages: Record<string, Package>
}

/**
 * The part of a lockfile that a server needs. npm keeps optional peers that the
 * lockfile has, so `npm ci --omit=dev` would install the compiler and the test
 * runner: AdonisJS names both as optional peers.
 */
export function withoutDevelopment(lock: Lockfile): Lockfile {
  const packages = structuredClone(lock.packages)
  delete packages['']!.devDependencies

  const needed = new Set([''])
  for (const path of needed) {
    if (packages[path]!.link) {
      needed.add(packages[path]!.resolved!)
      continue
    }
    for (const name of namesOf(packages[path]!)) {
      const found = locate(packages, path, name)
      if (found !== null) {
        needed.add(found)
      }
    }
  }
  const kept = Object.entries(packages).filter(([path]) => needed.has(path))
  return { ...lock, packages: Object.fromEntries(kept) }
}

function namesOf(entry: Package): string[] {
  const peers = Object.keys(entry.peerDependencies ?? {}).filter(
    (name) => !entry.peerDependenciesMeta?.[name]?.optional
  )
  return [
    ...Object.keys(entry.dependencies ?? {}),
    ...Object.keys(entry.optionalDependencies ?? {}),
    ...peers,
  ]
}

/** Where a package finds another one: in its own folder, or in one further out. */
function locate(packages: Lockfile['packages'], from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_')))) {
    const path = `${folder ? `${folder}/` : ''}node_modules/${name}`
    if (path in packages) {
      return path
    }
    if (!folder) {
      return null
    }
  }
}

/** Makes `npm ci --omit=dev` in a finished build install what a server needs, and nothing else. */
export async function prepareInstall(build: URL): Promise<void> {
  const manifest = await readJson<Package>(new URL('package.json', build))
  delete manifest.devDependencies
  const lock = await readJson<Lockfile>(new URL('package-lock.json', build))
  await writeJson(new URL('package.json', build), manifest)
  await writeJson(new URL('package-lock.json', build), withoutDevelopment(lock))
}

async function readJson<Content>(file: URL): Promise<Content> {
  return JSON.parse(await readFile(file, 'utf8'))
}

function writeJson(file: URL, content: unknown) {
  return writeFile(file, `${JSON.stringify(content, null, 2)}\n`)
}
