import { RuntimeException } from '@adonisjs/core/exceptions'

import { DeclaredRelationship, declarationIn } from '#json_api/declared_relationships'
import type { Node } from '#json_api/document_node'
import type { DocumentNodes } from '#json_api/document_nodes'
import { fetchRelation } from '#json_api/lucid_relations'
import { LACKING } from '#json_api/readers'
import type { ResourcePlan } from '#json_api/resource_plan'
import type { RelationshipOptions } from '#json_api/types'

/** Reads a relationship of nodes of a class, and fetches what is lacking at once. */
export async function readRelated(
  all: DocumentNodes,
  plan: ResourcePlan,
  nodes: readonly Node[],
  name: string
) {
  const way = plan.wayOf(name)
  const loading: Node[] = []
  const lacking: Node[] = []
  let loader: RelationshipOptions['load']
  for (const node of nodes) {
    const declaration = way ?? declarationIn(node.declared, name)
    const isRead = declaration instanceof DeclaredRelationship
    if (isRead && declaration.options.load) {
      loader ??= declaration.options.load
      loading.push(node)
    } else if (isRead || (declaration && node.reader.lucid?.model.$hasRelation(name))) {
      node.related = node.reader.relatedTo(node, name)
      node.related === LACKING && lacking.push(node)
    }
  }
  if (lacking.length > 0) {
    const target = plan.looksBack ? null : way?.resourceClass
    await fetchRelation(lacking, name, target ? all.of(target) : null)
  }
  loader && (await load(loading, name, loader))
}
async function load(
  nodes: readonly Node[],
  name: string,
  loader: NonNullable<RelationshipOptions['load']>
) {
  const values = await loader(nodes.map(({ model }) => model))
  if (!Array.isArray(values) || values.length !== nodes.length) {
    throw new RuntimeException(
      `The relationship "${name}" has to load as many values as there are models`
    )
  }
  nodes.forEach((node, index) => (node.related = values[index] ?? null))
}
