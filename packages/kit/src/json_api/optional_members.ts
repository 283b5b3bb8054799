import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { urlFor } from '@adonisjs/core/services/url_builder'

import { classesOf, declarationIn } from '#json_api/declared_relationships'
import { toJson } from '#json_api/json'
import type { Node } from '#json_api/document_nodes'
import type { Linkage, RelationshipObject } from '#json_api/types'

/**
 * Adds the members that a class of resources defines: links, meta, and linkage
 * without an include (JSON:API 1.1, Resource Links, Relationships). None of them
 * needs a query.
 */
export function addOptionalMembers(node: Node) {
  addMeta(node)
  node.plan.resourceClass.linkage.forEach((name) => addLinkage(node, name))
  if (node.plan.resourceClass.route !== null) {
    addLinks(node, node.plan.resourceClass.route)
  }
}

function relationshipOf({ object }: Node, name: string): RelationshipObject {
  const relationships = (object.relationships ??= {}) as Record<string, RelationshipObject>
  return (relationships[name] ??= {})
}

function addMeta(node: Node) {
  const meta = node.resource.toResourceMeta()
  if (meta) {
    node.object.meta = toJson(meta) as Record<string, unknown>
  }
  const byName = node.resource.toRelationshipMeta()
  if (byName) {
    for (const [name, value] of Object.entries(byName)) {
      relationshipOf(node, name).meta = toJson(value) as Record<string, unknown>
    }
  }
}

function addLinks(node: Node, route: string) {
  const self: string = (urlFor as any)(route, [node.object.id])
  node.object.links = { self }
  for (const name of node.plan.resourceClass.relationshipLinks) {
    relationshipOf(node, name).links = {
      self: `${self}/relationships/${name}`,
      related: `${self}/${name}`,
    }
  }
}

function addLinkage(node: Node, name: string) {
  const relationship = relationshipOf(node, name)
  if (relationship.data === undefined) {
    relationship.data = linkageOf(node, name)
  }
}

/** @throws {InvalidArgumentsException} for a relationship that no foreign key of the model tells */
function linkageOf(node: Node, name: string): Linkage {
  const { plan, rows, model } = node
  const declaration = declarationIn(plan.shape ?? node.relationships, name)
  const classes = declaration && classesOf(declaration)
  const key = rows?.foreignKeyOf(model, name)
  if (classes?.length !== 1 || key === undefined) {
    throw new InvalidArgumentsException(
      `The linkage "${name}" of ${plan.resourceClass.name} needs a relationship to one class ` +
        'over a belongsTo relation whose foreign key was selected'
    )
  }
  return key === null ? null : { type: classes[0]!.type, id: String(key) }
}
