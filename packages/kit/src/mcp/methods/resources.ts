import { ErrorCode, McpError, quoted } from '#mcp/errors'
import { inputRequired } from '#mcp/methods/input_required'
import { runHandler, statusOf } from '#mcp/methods/failures'
import { observed } from '#mcp/methods/observed'
import { type Call, complete, hasMirroredHeaders, stringParam } from '#mcp/protocol/call'
import { checkNameHeader } from '#mcp/protocol/mirrored_headers'
import { Response } from '#mcp/response'
import type { ResourceClass, ResourceContents } from '#mcp/types'

/** `resources/read`. */
export async function readResource(call: Call): Promise<string> {
  const uri = stringParam(call.request.params, 'uri')
  if (hasMirroredHeaders(call)) {
    checkNameHeader(uri, call.header)
  }

  const found = call.definition.findResource(uri, call.caller)
  if (!found) {
    throw notFound(call, uri)
  }
  const { Class, variables } = found
  const target = { kind: 'resource', name: Class.uri, scopes: Class.scopes } as const
  return observed(call, target, async (request, limits) => {
    const read = await runHandler(call, limits, async () => {
      try {
        const instance = await call.ctx.containerResolver.make(Class)
        return checkRead(await instance.read(variables, request), Class)
      } catch (error) {
        throw statusOf(error) === 404 ? notFound(call, uri) : error
      }
    })

    if (read === null) {
      throw notFound(call, uri)
    }
    return {
      json:
        read instanceof Response
          ? inputRequired(call, request, read.question!)
          : complete(call, {
              contents: contentsOf(read, uri, Class),
              ...(call.era.name === 'modern' && {
                ttlMs: Class.ttlMs,
                cacheScope: Class.cacheScope,
              }),
            }),
    }
  })
}

/** The error code changed in 2026-07-28 ("Key Changes", minor change 6). */
function notFound(call: Call, uri: string): McpError {
  return new McpError(
    call.era.name === 'modern' ? ErrorCode.InvalidParams : ErrorCode.LegacyResourceNotFound,
    'Resource not found',
    { data: { uri: quoted(uri) } }
  )
}

function checkRead<Read>(read: Read, Class: ResourceClass): Read {
  const fits =
    read === null ||
    typeof read === 'string' ||
    read instanceof Uint8Array ||
    Array.isArray(read) ||
    (read instanceof Response && read.question)
  if (!fits) {
    throw new TypeError(
      `The MCP resource "${Class.name}" must read text, bytes, a list of contents or null`
    )
  }
  return read
}

function contentsOf(
  read: string | Uint8Array | ResourceContents[],
  uri: string,
  { mimeType }: ResourceClass
): ResourceContents[] {
  if (Array.isArray(read)) {
    return read
  }
  return typeof read === 'string'
    ? [{ uri, mimeType, text: read }]
    : [{ uri, mimeType, blob: Buffer.from(read).toString('base64') }]
}
