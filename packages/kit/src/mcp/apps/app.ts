import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { assertArgument } from '#config/checks'
import { KIT_RESOURCES } from '#http/kit_views'
import { Resource } from '#mcp/primitives'
import { APP_MIME_TYPE } from '#mcp/protocol/capabilities'
import type { AppClass, CacheScope, ResourceContents } from '#mcp/types'

const HOST_SCRIPT = await readFile(join(KIT_RESOURCES, 'mcp_app_host.js'), 'utf8')

/** The origins that a page may load from; none for what is not named. */
export interface AppCsp {
  /** For `fetch`, XMLHttpRequest and WebSocket. */
  connectDomains?: string[]
  /** For images, scripts, stylesheets, fonts and media. */
  resourceDomains?: string[]
  frameDomains?: string[]
  /** For the `base` element. */
  baseUriDomains?: string[]
}

export type AppPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/**
 * A page that clients with MCP Apps show with the result of a tool (its `static app`). It is an Edge view
 * without data, so clients may keep it. The client hands it the result, and passes on the calls that it
 * makes, with the access token of the person.
 * @example
 * class PostsCard extends App {
 *   static uri = 'ui://blog/posts'
 *   static name = 'posts_card'
 *   static view = 'mcp/posts_card'
 * }
 */
export abstract class App extends Resource {
  static override mimeType = APP_MIME_TYPE
  static override ttlMs = 300_000
  static override cacheScope: CacheScope = 'public'

  /** The Edge view of the page. It has `hostScript`, which goes into a `script` element of its own. */
  static view: string
  static csp?: AppCsp
  /** What the page would like to use of the device. The client may refuse it. */
  static permissions?: readonly AppPermission[]
  /** Whether the client draws a border; else it decides. */
  static prefersBorder?: boolean
  /** The origin that the client serves the page from, in the client's own format. */
  static domain?: string

  async read(): Promise<ResourceContents[]> {
    const Class = this.constructor as AppClass
    const { default: edge } = await import('edge.js')
    const text = await edge.render(Class.view, { hostScript: HOST_SCRIPT })
    return [{ uri: Class.uri, mimeType: Class.mimeType, text, _meta: appMeta(Class) }]
  }
}

/** @throws {InvalidArgumentsException} unless the page is a view, or read by the class itself */
export async function checkView({ name, view, prototype }: AppClass) {
  const { default: edge } = await import('edge.js')
  const path = () => edge.loader.makePath(String(view))
  const isThere = prototype.read !== App.prototype.read || path() === view || existsSync(path())
  assertArgument(isThere, `The MCP app ${name} has no Edge view "${view}"`)
}

export const isApp = (Class: object): Class is AppClass => App.isPrototypeOf(Class)

/** The metadata of a page (MCP Apps 2026-01-26, "UI Resource Format"). */
export function appMeta(Class: AppClass): Record<string, unknown> {
  const { csp, permissions, prefersBorder, domain } = Class
  const wanted = permissions && Object.fromEntries(permissions.map((one) => [one, {}]))
  return { ...Class.meta, ui: { csp, permissions: wanted, prefersBorder, domain } }
}
