import type { VineValidator } from '@vinejs/vine'
import type { Infer } from '@vinejs/vine/types'

import type { McpRequest } from '#mcp/request'
import type { Response } from '#mcp/response'
import type { MaybePromise } from '#process/maybe_promise'

/*
| Types that TypeScript infers from the static members of a class: the arguments of a tool from
| `schema()`, and its result from `outputSchema()`. A schema whose type says nothing (a JSON Schema
| without `as const`) gives `any`.
*/

/** The arguments of a tool: `handle({ id }: Arguments<typeof ReadPost>)`. */
export type Arguments<Class> = Class extends { schema(): infer Source } ? FromSource<Source> : any

/** The structured content that a tool must return; unknown without an output schema. */
export type Structure<Class> = Class extends { outputSchema(): infer Source }
  ? undefined extends Source
    ? unknown
    : FromSource<Source>
  : unknown

/**
 * The server class, if every tool of it takes the arguments of its `schema()` and returns what its
 * `outputSchema()` describes; else a type that names the tools that do not.
 */
export type Consistent<Class> = Class extends { tools(): infer Tools }
  ? [Inconsistent<Item<Tools>>] extends [never]
    ? unknown
    : { handleDoesNotMatchTheSchemasOf: Inconsistent<Item<Tools>> }
  : unknown

type Item<List> = List extends readonly (infer One)[] ? One : never

/** The tools among these classes whose handler does not match their schemas. */
type Inconsistent<Class> = Class extends abstract new (...args: any[]) => { handle: infer Handle }
  ? Handle extends Handler<Class>
    ? never
    : Class
  : never

/** A function type, not a method: only then are parameters compared strictly. */
type Handler<Class> = (
  args: Arguments<Class>,
  request: McpRequest
) => MaybePromise<Response<Structure<Class>>>

type FromSource<Source> =
  Source extends VineValidator<any, any>
    ? Infer<Source>
    : Source extends object
      ? FromSchema<Source>
      : any

/** The values that a JSON Schema accepts, as far as its type tells: declare it `as const`. */
export type FromSchema<Schema> = Schema extends { const: infer Value }
  ? Value
  : Schema extends { enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { type: readonly (infer Type)[] }
      ? Type extends unknown
        ? OfType<Type, Schema>
        : never
      : Schema extends { type: infer Type }
        ? OfType<Type, Schema>
        : any

type Simple = { string: string; integer: number; number: number; boolean: boolean; null: null }

type OfType<Type, Schema> = string extends Type
  ? any
  : Type extends keyof Simple
    ? Simple[Type]
    : Type extends 'array'
      ? Schema extends { items: infer Items }
        ? FromSchema<Items>[]
        : any[]
      : Schema extends { properties: infer Properties }
        ? FromProperties<Properties, Schema extends { required: readonly (infer N)[] } ? N : never>
        : Record<string, any>

type FromProperties<Properties, Required> = {
  -readonly [Name in keyof Properties & Required]: FromSchema<Properties[Name]>
} & {
  -readonly [Name in Exclude<keyof Properties, Required>]?: FromSchema<Properties[Name]>
}

/** The structure of several responses in one: never when a failure is among them. */
export type Combined<Responses extends Response[]> = true extends {
  [Index in keyof Responses]: Responses[Index] extends Response<infer One>
    ? [One] extends [never]
      ? true
      : false
    : false
}[number]
  ? never
  : StructureAmong<Responses[number]['structure']>

type StructureAmong<Structures> = [Exclude<Structures, undefined>] extends [never]
  ? undefined
  : Exclude<Structures, undefined>
