import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { classesOf, declarationIn } from '#json_api/declared_relationships'
import { toJson } from '#json_api/json'
import type { Node } from '#json_api/document_node'
import { relationOf } from '#json_api/lucid_relations'
import type { Linkage, RelationshipObject, ResourceObject } from '#json_api/types'

export type UrlFor = (route: string, parameters: string[]) => string

/**
 * Adds the members that a class of resources defines: links, meta, and linkage without an include
 * (JSON:API 1.1, Resource Links, Relationships). None of them needs a query.
 */
export function addOptionalMembers(node: Node, object: ResourceObject, urlFor: UrlFor) {
  const { plan } = node
  addMeta(node, object)
  for (const name of plan.resourceClass.linkage.filter((one) => plan.shows(one))) {
    const relationship = relationshipOf(object, name)
    if (relationship.data === undefined) {
      relationship.data = linkageOf(node, name)
    }
  }
  if (plan.resourceClass.route !== null) {
    addLinks(node, object, urlFor(plan.resourceClass.route, [node.id]))
  }
}

function relationshipOf(object: ResourceObject, name: string): RelationshipObject {
  const relationships = (object.relationships ??= {}) as Record<string, RelationshipObject>
  return (relationships[name] ??= {})
}

function addMeta(node: Node, object: ResourceObject) {
  const meta = node.resource.toResourceMeta()
  if (meta) {
    object.meta = toJson(meta) as Record<string, unknown>
  }
  for (const [name, value] of Object.entries(node.resource.toRelationshipMeta() ?? {})) {
    if (node.plan.shows(name)) {
      relationshipOf(object, name).meta = toJson(value) as Record<string, unknown>
    }
  }
}

function addLinks({ plan }: Node, object: ResourceObject, self: string) {
  object.links = { self }
  for (const name of plan.resourceClass.relationshipLinks.filter((one) => plan.shows(one))) {
    relationshipOf(object, name).links = {
      self: `${self}/relationships/${name}`,
      related: `${self}/${name}`,
    }
  }
}

/** @throws {InvalidArgumentsException} for a relationship that no foreign key of the model tells */
function linkageOf(node: Node, name: string): Linkage {
  const { plan } = node
  const classes = classesOf(declarationIn(plan.shape ?? node.declared, name))
  const key = foreignKeyOf(node, name)
  if (classes?.length !== 1 || key === undefined) {
    throw new InvalidArgumentsException(
      `The linkage "${name}" of ${plan.resourceClass.name} needs a relationship to one class ` +
        'over a belongsTo relation whose foreign key was selected'
    )
  }
  return key === null ? null : { type: classes[0]!.type, id: String(key) }
}

/** The foreign key of a `belongsTo`; undefined for anything else, and when it was not selected. */
function foreignKeyOf({ reader, source }: Node, name: string): unknown {
  const relation = reader.lucid && relationOf(reader.lucid.model, name)
  return relation?.type === 'belongsTo'
    ? reader.lucid!.valueOf(source, relation.foreignKey)
    : undefined
}
