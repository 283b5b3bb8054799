import { toJson } from '#json_api/attributes'
import { DocumentBuilder } from '#json_api/document_builder'
import { assertPaths, includeTree } from '#json_api/include'
import type { Renderable, Selection } from '#json_api/renderable'
import type { Document } from '#json_api/types'

/**
 * Makes the document of a resource or a collection (JSON:API 1.1, Document
 * Structure).
 *
 * @throws {InvalidParameter} 400 for a relationship path that leads nowhere
 */
export async function buildDocument(
  source: Renderable,
  { include, fieldsets }: Selection
): Promise<Document> {
  const builder = new DocumentBuilder(fieldsets)
  const primary = source.resources()
  const nodes = builder.addAll([primary ?? []].flat())
  const data = nodes.map(({ object }) => object)

  if (include) {
    const tree = includeTree(include, source.resourceClass.maxIncludeDepth)
    assertPaths(source.resourceClass, tree, [], nodes.length > 0)
    await builder.expand(nodes, tree, [])
  }

  return {
    data: Array.isArray(primary) ? data : (data[0] ?? null),
    ...(include && { included: builder.objects.slice(data.length) }),
    ...(primary && (await topLevel(source))),
  }
}

async function topLevel(source: Renderable) {
  const links = await source.toLinks()
  const meta = await source.toMeta()
  const extras = await source.with()
  return toJson({ ...(links && { links }), ...(meta && { meta }), ...extras }) as Partial<Document>
}
