import type { IncomingMessage } from 'node:http'

import getRawBody from 'raw-body'

import { invalidRequest } from '#mcp/errors'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/**
 * The bytes of the request body. AdonisJS's body parser is not used: it trims strings, converts
 * empty ones to null, and renders its errors in its own format.
 *
 * @param limit in bytes
 * @throws {McpError} HTTP 415 for another media type or a content encoding, 413 beyond the limit, 400 for an incomplete body
 */
export async function readBody(raw: IncomingMessage, limit: number): Promise<Buffer> {
  const {
    'content-type': type,
    'content-encoding': encoding,
    'content-length': length,
  } = raw.headers
  if (type !== undefined && !JSON_TYPE.test(type)) {
    throw invalidRequest('The body must be application/json', 415)
  }
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw invalidRequest('The body must not be encoded', 415)
  }

  try {
    return await getRawBody(raw, { limit, length })
  } catch (error) {
    throw (error as { type?: string }).type === 'entity.too.large'
      ? invalidRequest(`The body is larger than ${limit} bytes`, 413)
      : invalidRequest('The body is incomplete')
  }
}
