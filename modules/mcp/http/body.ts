import type { IncomingMessage } from 'node:http'

import getRawBody from 'raw-body'

import { invalidRequest } from '#mcp/errors'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/**
 * The bytes of a body. Nothing has parsed them before: the app's body parser would alter what it
 * parses and answer errors in its own way.
 *
 * @throws McpError HTTP 415 for another type or an encoding, 413 beyond the limit, 400 for a body that breaks off
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
      : invalidRequest('The body broke off')
  }
}
