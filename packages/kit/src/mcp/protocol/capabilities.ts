import { randomUUID } from 'node:crypto'

import { ErrorCode, McpError } from '#mcp/errors'
import type { Call } from '#mcp/protocol/call'
import { MetaKey, metaOf } from '#mcp/protocol/era'
import { isObject } from '#process/objects'
import { type JsonObject, objectOr } from '#mcp/protocol/json_rpc'
import type { ClientCapabilities } from '#mcp/types'

/** The extension MCP Apps, of revision 2026-01-26. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'
export const APP_MIME_TYPE = 'text/html;profile=mcp-app'

/** The Tasks extension, and the capability that its clients declare ("Capability Negotiation"). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'
export const TASKS_CAPABILITY: ClientCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }

/** What a client can declare for older revisions too: it shows pages of tools, or opens URLs for the person. */
type Fact = 'apps' | 'visits'

/** The letter in a session id that stands for each. */
const LETTERS: Record<Fact, string> = { apps: 'a', visits: 'v' }

const IS_DECLARED: Record<Fact, (capabilities: JsonObject) => boolean> = {
  /* MCP Apps, "Client<>Server Capability Negotiation". */
  apps: (capabilities) => {
    const { mimeTypes } = objectOr(objectOr(capabilities.extensions)[APPS_EXTENSION])
    return Array.isArray(mimeTypes) && mimeTypes.includes(APP_MIME_TYPE)
  },
  visits: ({ elicitation }) => isObject(elicitation) && isObject(elicitation.url),
}

/**
 * A session id for a client before 2026-07-28. It declares its capabilities in `initialize` alone, and
 * no session is kept, so the id that it sends back has letters for them.
 */
export function sessionId(capabilities: JsonObject): string {
  const facts = Object.entries(LETTERS) as [Fact, string][]
  const letters = facts
    .filter(([fact]) => IS_DECLARED[fact](capabilities))
    .map(([, letter]) => letter)
  return [randomUUID(), ...letters].join('.')
}

export function declares(call: Call, fact: Fact): boolean {
  if (call.era.name === 'legacy') {
    const [, ...letters] = (call.header('mcp-session-id') ?? '').split('.')
    return letters.includes(LETTERS[fact])
  }
  return IS_DECLARED[fact](capabilitiesOf(call))
}

export function declaresTasks(call: Call): boolean {
  return call.era.name === 'modern' && TASKS_EXTENSION in objectOr(capabilitiesOf(call).extensions)
}

/** -32021, MissingRequiredClientCapability (2026-07-28, "Error Codes"). */
export function missingCapability(requiredCapabilities: ClientCapabilities): McpError {
  return new McpError(
    ErrorCode.MissingRequiredClientCapability,
    `The client did not declare a capability that this request needs: ${Object.keys(requiredCapabilities).join(', ')}`,
    { httpStatus: 400, data: { requiredCapabilities } }
  )
}

function capabilitiesOf({ request }: Call): JsonObject {
  return metaOf(request.params)[MetaKey.ClientCapabilities] as JsonObject
}
