import type { LucidRow, ModelAttributes } from '@adonisjs/lucid/types/model'

import type { DeclaredRelationship } from '#json_api/declared_relationships'
import type { DocumentSource } from '#json_api/document_source'
import type { JsonResource, ResourceCollection } from '#json_api/json_resource'
import type { Json } from '#process/json'
import type { MaybePromise } from '#process/maybe_promise'

/** JSON:API 1.1, Resource Identifier Objects. */
export type ResourceIdentifier = { type: string; id: string }

/** JSON:API 1.1, Resource Linkage. */
export type Linkage = ResourceIdentifier | ResourceIdentifier[] | null

export type LinkageFor<IsToMany> = IsToMany extends true
  ? ResourceIdentifier[]
  : ResourceIdentifier | null

/** JSON:API 1.1, Relationships. Data is there when it is included, or asked for by `linkage`. */
export type RelationshipObject = { data?: Linkage; links?: Links; meta?: Record<string, unknown> }

/** JSON:API 1.1, Resource Objects. */
export interface ResourceObject<
  Attributes = Record<string, unknown>,
  Linked = Record<string, { data: Linkage }>,
> extends ResourceIdentifier {
  attributes: Attributes
  relationships?: Linked
  links?: Links
  meta?: Record<string, unknown>
}

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

/** One criterion, ready for `query.orderBy(...)`. */
export type SortCriterion = { column: string; order: 'asc' | 'desc' }

/** What a document needs of a resource: see JsonResource. */
export type Resource = Pick<JsonResource, 'resource' | 'toRelationships' | ResourceHook> & {
  readonly resourceClass: ResourceClass
}

/** Hooks of a resource class that shape its resource object. */
export type ResourceHook = 'toAttributes' | 'toResourceMeta' | 'toRelationshipMeta'

/** A class of resources, as `class PostResource extends JsonResource<Post>` is. */
export type ResourceClass<Instance = any> = Omit<typeof JsonResource, 'prototype' | 'collection'> &
  (new (resource: any) => Instance)

/** A relationship that each resource makes when it is followed. */
export type Callable = () => MaybePromise<
  DocumentSource | readonly DocumentSource[] | null | undefined
>

export interface RelationshipOptions {
  /** Fetches for all models of a level at once: as many values as models, in their order. */
  load?(models: any[]): MaybePromise<readonly unknown[]>
  /** The class of resources for a related model, where there are several. */
  resourceFor?(model: any): ResourceClass
}

export type Relationship = ResourceClass | DocumentSource | Callable | DeclaredRelationship

export type Relationships = Record<string, Relationship>

/** The attributes of a model before the resource says more: some columns may be hidden. */
export type DefaultAttributes<Model> = Model extends LucidRow
  ? Partial<ModelAttributes<Model>> & Record<string, unknown>
  : Partial<Model>

type LinkageOf<Declaration> =
  Declaration extends DeclaredRelationship<infer IsToMany>
    ? LinkageFor<IsToMany>
    : Declaration extends new (...args: any[]) => unknown
      ? ResourceIdentifier
      : Declaration extends (...args: never[]) => infer Result
        ? LinkageOf<Awaited<Result>>
        : Declaration extends ResourceCollection<any> | readonly unknown[]
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
