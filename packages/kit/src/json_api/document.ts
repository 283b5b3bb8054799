import { DocumentBuilder } from '#json_api/document_builder'
import type { DocumentSource, Selection } from '#json_api/document_source'
import { includeTree } from '#json_api/include'
import { toJson } from '#json_api/json'
import type { Document } from '#json_api/types'

/**
 * Makes the document of a resource or a collection (JSON:API 1.1, Document Structure).
 *
 * @throws {InvalidParameter} 400 for a relationship path that leads nowhere
 */
export async function buildDocument(
  source: DocumentSource,
  { include, fieldsets }: Selection
): Promise<Document> {
  const builder = new DocumentBuilder(fieldsets)
  const target = source.primaryData()
  const tree = include && includeTree(include, source.resourceClass.maxIncludeDepth)
  const nodes = builder.nodes.add(target)
  const { length } = builder.nodes.all

  if (tree) {
    await builder.expandPrimary(nodes, source.resourceClass, tree)
  }

  const included = await builder.objects()
  const data = included.splice(0, length)
  return {
    data: target.isToMany ? data : (data[0] ?? null),
    ...(include && { included }),
    ...((target.isToMany || length > 0) && (await topLevel(source))),
  }
}

async function topLevel(source: DocumentSource) {
  const links = await source.toLinks()
  const meta = await source.toMeta()
  const extras = await source.with()
  return toJson({ ...(links && { links }), ...(meta && { meta }), ...extras }) as Partial<Document>
}
