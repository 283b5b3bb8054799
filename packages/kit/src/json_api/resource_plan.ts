import { AttributeMaker, type Values } from '#json_api/attributes'
import { DeclaredRelationship, type Shape, declarationIn } from '#json_api/declared_relationships'
import type { Node } from '#json_api/document_node'
import { ModelReader } from '#json_api/lucid_readers'
import { assertFieldName } from '#json_api/query_parameters'
import { ObjectReader, isRow } from '#json_api/readers'
import type { Relationships, ResourceClass, ResourceHook } from '#json_api/types'
import { ownMember } from '#process/objects'
import { remembered } from '#process/remembered'

type ReaderOfModels = ModelReader | ObjectReader

/** The nodes of a type, which several classes may share. */
export interface NodesOfType {
  /** The first node of each id. */
  byId: Map<string, Node>
  linked: Set<string>
  /** Whether several classes of the document have the type. */
  isShared: boolean
}

/**
 * What a class of resources makes of its models in one document, compiled once. A resource is only
 * made for a model when the class has hooks that need one.
 */
export class ResourcePlan {
  readonly type: string

  /** The declared relationships; null when they depend on the model. */
  readonly shape: Relationships | null

  /** Whether every resource shows what its model serializes, so that there need not be one. */
  readonly hasDefaultAttributes: boolean

  /** Whether hooks run behind the includes, and may look at models that were included. */
  readonly looksBack: boolean

  /** Whether resource objects may have links, meta, or linkage without an include. */
  readonly hasOptionalMembers: boolean

  /** Nodes of ids that another class of the type brought first. */
  readonly others = new Map<string, Node>()

  /** Nodes by the models that to-one relationships led to: many lead to the same. */
  readonly byModel = new Map<unknown, Node>()

  /** By the class of the model. */
  #readers = new Map<unknown, ReaderOfModels>()

  /** @param fieldset the attributes to show; all without one */
  constructor(
    readonly resourceClass: ResourceClass,
    shape: Shape | null,
    private fieldset: ReadonlySet<string> | undefined,
    readonly siblings: NodesOfType
  ) {
    this.type = resourceClass.type
    this.shape = shape?.relationships ?? null
    const hasDefault = (hook: ResourceHook) =>
      shape !== null && resourceClass.hasDefault(hook, shape.sample)
    this.hasDefaultAttributes = hasDefault('toAttributes')
    this.looksBack = !hasDefault('toResourceMeta') || !hasDefault('toRelationshipMeta')
    this.hasOptionalMembers =
      this.looksBack || resourceClass.route !== null || resourceClass.linkage.length > 0
    Object.keys(this.shape ?? {}).forEach((name) => assertFieldName(resourceClass, name))
  }

  /**
   * The relationship of a name that every model has alike: null for a name that is not declared,
   * undefined when each resource has to be asked.
   */
  readonly wayOf = remembered((name: string): DeclaredRelationship | null | undefined => {
    const declaration = declarationIn(this.shape, name)
    const isAlike = declaration === null || declaration instanceof DeclaredRelationship
    return this.shape && isAlike ? declaration : undefined
  })

  readonly declaredBy = remembered((node: Node) => node.resource.toRelationships() ?? {})

  readerOf(model: any): ReaderOfModels {
    let reader = this.#readers.get(model.constructor)
    if (!reader) {
      reader = isRow(model) ? new ModelReader(this, model) : new ObjectReader(this)
      this.#readers.set(model.constructor, reader)
    }
    return reader
  }

  /** As JSON, without relationships: both share one namespace (JSON:API 1.1, Fields). */
  attributesOf({ resource, reader, source }: Node, values: any): Values {
    const omitted = this.shape ? null : new Set(Object.keys(resource.toRelationships() ?? {}))
    if (this.resourceClass.hasDefault('toAttributes', resource)) {
      return reader.attributesOf(values, source, resource.resource, omitted)
    }
    const attributes = resource.toAttributes() as Values
    return this.#attributes.make(attributes, attributes, null, omitted)
  }

  /** Whether the fieldset of the type has a field (JSON:API 1.1, Sparse Fieldsets). */
  shows(name: string): boolean {
    return !this.fieldset || this.fieldset.has(name)
  }

  /** The name of an attribute that a model serializes. */
  readonly shownName = remembered((attribute: string) =>
    this.resourceClass.hidden.includes(attribute) ? null : this.#name(attribute)
  )

  /** The name of an attribute that `toAttributes()` gives. */
  readonly #name = remembered((attribute: string) => {
    const name = ownMember(this.resourceClass.renamed, attribute) ?? attribute
    if (this.shape && Object.hasOwn(this.shape, name)) {
      return null
    }
    assertFieldName(this.resourceClass, name)
    return this.shows(name) ? name : null
  })

  readonly #attributes = AttributeMaker.ofMembers(this.#name)
}
