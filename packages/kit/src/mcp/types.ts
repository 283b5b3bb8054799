import type { RouteGroup } from '@adonisjs/core/http'
import type { SchemaTypes } from '@vinejs/vine/types'
import type { VineValidator } from '@vinejs/vine'

import type { App } from '#mcp/apps/app'
import type { ProtectionOptions } from '#mcp/protection'
import type { Prompt, Resource, Tool } from '#mcp/primitives'

export type JsonObject = Record<string, unknown>

/** A JSON Schema: dialect 2020-12, or draft-07 where `$schema` says so. */
export type JsonSchema = Record<string, unknown>

export type SchemaSource = VineValidator<SchemaTypes, any> | JsonSchema

/** An image that clients may show next to a name. `src` is an https or data URI. */
export type Icon = { src: string; mimeType?: string; sizes?: string[]; theme?: 'light' | 'dark' }

/** Whether caches may share an answer between callers. */
export type CacheScope = 'public' | 'private'

/** Name and version of a client or server, as declared by itself. */
export interface Implementation {
  name: string
  version: string
  title?: string
  description?: string
  websiteUrl?: string
  icons?: Icon[]
}

/** What the client supports (2026-07-28 schema, ClientCapabilities). */
export interface ClientCapabilities {
  elicitation?: { form?: object; url?: object }
  sampling?: { context?: object; tools?: object }
  roots?: object
  extensions?: Record<string, object>
  experimental?: Record<string, object>
}

/** One part of a resource's contents: text, or base64 in `blob`. */
export interface ResourceContents {
  uri: string
  mimeType?: string
  text?: string
  blob?: string
  _meta?: Record<string, unknown>
}

type Concrete<Base extends abstract new (...args: any[]) => object> = Omit<Base, 'prototype'> &
  (new (...args: any[]) => InstanceType<Base>)

/** The routes of a mounted server: a route group that can be protected. */
export interface MountRoutes extends RouteGroup {
  /**
   * Accepts OAuth access tokens that are bound to this mount's URL (RFC 8707), and serves the
   * metadata with which clients find the authorization server (RFC 9728).
   * @throws {InvalidArgumentsException} when `url` of `config/mcp.ts` is not set
   */
  protect(options: ProtectionOptions): this
}

export type ToolClass = Concrete<typeof Tool>
export type PromptClass = Concrete<typeof Prompt>
export type ResourceClass = Concrete<typeof Resource>
export type AppClass = Concrete<typeof App>
