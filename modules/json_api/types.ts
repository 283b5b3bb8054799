import type { LucidRow, ModelAttributes } from '@adonisjs/lucid/types/model'

import type { Json } from '#json_api/attributes'
import type { Renderable } from '#json_api/renderable'
import type { ResourceCollection } from '#json_api/resource_collection'

/** JSON:API 1.1, Resource Identifier Objects. */
export interface ResourceIdentifier {
  type: string
  id: string
}

/** JSON:API 1.1, Resource Linkage. */
export type Linkage = ResourceIdentifier | ResourceIdentifier[] | null

/** JSON:API 1.1, Resource Objects. */
export interface ResourceObject<
  Attributes = Record<string, unknown>,
  Linked = Record<string, { data: Linkage }>,
> extends ResourceIdentifier {
  attributes: Attributes
  relationships?: Linked
}

/** JSON:API 1.1, Links. */
export type Link = string | null | { href: string; [member: string]: unknown }
export type Links = Record<string, Link>

/** JSON:API 1.1, Top Level. Other members come from `with()`. */
export interface Document<Data = ResourceObject | ResourceObject[] | null> {
  data: Data
  included?: ResourceObject[]
  links?: Links
  meta?: Record<string, unknown>
  jsonapi?: Record<string, unknown>
}

/** What a document needs of a resource: see JsonResource. */
export interface Resource {
  readonly resource: any
  readonly resourceClass: ResourceClass
  toAttributes(): object
  toRelationships(): Relationships | null
}

/** A class of resources, as `class PostResource extends JsonResource<Post>` is. */
export interface ResourceClass<Instance = any> {
  new (resource: any): Instance
  readonly name: string
  type: string
  hidden: readonly string[]
  maxIncludeDepth: number
}

type Callable = () => Renderable | null | undefined | Promise<Renderable | null | undefined>

/** What a relationship may be declared as (spec 3, JsonResource class). */
export type Relationship = ResourceClass | Renderable | Callable

/** The declarations of a resource's relationships. */
export type Relationships = Record<string, Relationship>

/** The attributes of a model before the resource says more: some columns may be hidden. */
export type DefaultAttributes<Model> = Model extends LucidRow
  ? Partial<ModelAttributes<Model>> & Record<string, unknown>
  : Partial<Model>

type LinkageOf<Declaration> = Declaration extends new (...args: any[]) => unknown
  ? ResourceIdentifier
  : Declaration extends (...args: never[]) => infer Result
    ? LinkageOf<Awaited<Result>>
    : Declaration extends ResourceCollection<any>
      ? ResourceIdentifier[]
      : Declaration extends null | undefined
        ? null
        : ResourceIdentifier | null

/** The resource object that a resource becomes. Linkage is there when it is included. */
export type InferResource<Source extends Resource> = ResourceObject<
  Json<ReturnType<Source['toAttributes']>>,
  {
    [Name in keyof NonNullable<ReturnType<Source['toRelationships']>>]?: {
      data: LinkageOf<NonNullable<ReturnType<Source['toRelationships']>>[Name]>
    }
  }
>

/**
 * The document that a resource or a collection becomes:
 *
 *     const resource = PostResource.collection(posts)
 *     type Posts = InferDocument<typeof resource>
 */
export type InferDocument<Source> =
  Source extends ResourceCollection<infer Item>
    ? Document<InferResource<Item>[]>
    : Source extends Resource
      ? Document<InferResource<Source> | null>
      : never
