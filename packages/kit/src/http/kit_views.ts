import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'

import type { Edge } from 'edge.js'

/** Pages, components, mails and words that an application may replace, and files that are sent as they are. */
export const KIT_RESOURCES = join(import.meta.dirname, '../../resources')

const KIT_VIEWS = join(KIT_RESOURCES, 'views')

/** The templates of this package, e.g. `pages/oauth/consent`. */
export const kitViews = () =>
  globSync('**/*.edge', { cwd: KIT_VIEWS }).map((path) =>
    path.replace(/\.edge$/, '').replaceAll('\\', '/')
  )

export const kitViewPath = (name: string) => join(KIT_VIEWS, `${name}.edge`)

/**
 * Templates of this package by their own name (`pages/oauth/consent`, `@!icon()`), unless the application has a file of
 * that name in its views. `kit::` before the name always means the package's.
 * @param options.cached whether templates stay as they are: in production
 * @param options.only which templates an application takes
 */
export function addKitViews(
  edge: Edge,
  { cached, only = /^/ }: { cached: boolean; only?: RegExp }
): void {
  edge.mount('kit', KIT_VIEWS)
  const { loader } = edge
  const makePath = loader.makePath.bind(loader)
  const listComponents = loader.listComponents.bind(loader)
  const names = new Set(kitViews().filter((name) => only.test(name)))
  const found = new Map<string, string>()

  loader.makePath = (name) => {
    const known = found.get(name)
    if (known !== undefined || !names.has(name)) {
      return known ?? makePath(name)
    }
    const own = makePath(name)
    /* A template that is registered in memory has its name for a path. */
    const path = own === name || existsSync(own) ? own : makePath(`kit::${name}`)
    if (cached) {
      found.set(name, path)
    }
    return path
  }
  const list = () => {
    const disks = listComponents()
    const components = disks
      .find(({ diskName }) => diskName === 'kit')!
      .components.map(({ componentName, tagName }) => ({
        componentName: componentName.replace('kit::', ''),
        tagName: tagName.replace('kit.', ''),
      }))
      .filter(({ componentName }) => names.has(componentName))
    return [{ diskName: 'default', components }, ...disks]
  }
  /* Edge asks for every page that it renders, and reads the folders of all disks each time. */
  let listed: ReturnType<typeof list> | null = null
  loader.listComponents = () => {
    listed = (cached && listed) || list()
    return listed
  }
}
