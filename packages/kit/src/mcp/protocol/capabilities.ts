import { randomUUID } from 'node:crypto'

import { badRequest, ErrorCode, type McpError } from '#mcp/errors'
import { type Call, objectParam } from '#mcp/protocol/call'
import { MetaKey } from '#mcp/protocol/era'
import { isObject, objectOr } from '#process/objects'
import type { ClientCapabilities, JsonObject } from '#mcp/types'

/** The extension MCP Apps, of revision 2026-01-26. */
export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'
export const APP_MIME_TYPE = 'text/html;profile=mcp-app'

export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** What older clients declare too: its letter in a session id, and whether capabilities have it. */
const FACTS = {
  /** Shows pages of tools (MCP Apps, "Client<>Server Capability Negotiation"). */
  apps: {
    letter: 'a',
    isIn(capabilities: JsonObject) {
      const { mimeTypes } = objectOr(objectOr(capabilities.extensions)[APPS_EXTENSION])
      return Array.isArray(mimeTypes) && mimeTypes.includes(APP_MIME_TYPE)
    },
  },
  /** Opens URLs for the person. */
  visits: {
    letter: 'v',
    isIn: ({ elicitation }: JsonObject) => isObject(objectOr(elicitation).url),
  },
}

/**
 * A session id for a client before 2026-07-28. It declares its capabilities in `initialize` alone, and
 * no session is kept, so the id that it sends back has letters for them.
 */
export function sessionId(capabilities: JsonObject): string {
  const declared = Object.values(FACTS).filter(({ isIn }) => isIn(capabilities))
  return [randomUUID(), ...declared.map(({ letter }) => letter)].join('.')
}

export function declares(call: Call, fact: keyof typeof FACTS): boolean {
  const { letter, isIn } = FACTS[fact]
  if (call.era.name === 'legacy') {
    const [, ...letters] = (call.header('mcp-session-id') ?? '').split('.')
    return letters.includes(letter)
  }
  return isIn(capabilitiesOf(call))
}

export function declaresTasks(call: Call): boolean {
  return call.era.name === 'modern' && TASKS_EXTENSION in objectOr(capabilitiesOf(call).extensions)
}

/** -32021, MissingRequiredClientCapability (2026-07-28, "Error Codes"). */
export function missingCapability(requiredCapabilities: ClientCapabilities): McpError {
  const names = Object.keys(requiredCapabilities).join(', ')
  const message = `The client did not declare a capability that this request needs: ${names}`
  return badRequest(ErrorCode.MissingRequiredClientCapability, message, { requiredCapabilities })
}

/** For a client that does not declare what those of the Tasks extension do ("Capability Negotiation"). */
export function missingTasks(): McpError {
  return missingCapability({ extensions: { [TASKS_EXTENSION]: {} } })
}

function capabilitiesOf({ request }: Call): JsonObject {
  return objectParam(request.params, '_meta')[MetaKey.ClientCapabilities] as JsonObject
}
