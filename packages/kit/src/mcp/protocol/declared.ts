import { randomUUID } from 'node:crypto'

import { showsApps } from '#mcp/apps/wire'
import { type Call } from '#mcp/protocol/call'
import { metaOf } from '#mcp/protocol/era'
import { isObject, type JsonObject } from '#mcp/protocol/json_rpc'
import { MetaKey } from '#mcp/protocol/versions'

/** What the server asks of a client's capabilities, each with the letter that stands for it. */
const LETTERS: Record<'apps' | 'visits', string> = { apps: 'a', visits: 'v' }

const FACTS: Record<keyof typeof LETTERS, (capabilities: JsonObject) => boolean> = {
  apps: showsApps,
  visits: ({ elicitation }) => isObject(elicitation) && isObject(elicitation.url),
}

/**
 * A session id for a client before 2026-07-28. It declares its capabilities in `initialize` alone, and
 * no session is kept, so the id that it sends back has letters for them.
 */
export function sessionId(capabilities: JsonObject): string {
  const facts = Object.entries(LETTERS) as [keyof typeof LETTERS, string][]
  const letters = facts.filter(([fact]) => FACTS[fact](capabilities)).map(([, letter]) => letter)
  return [randomUUID(), ...letters].join('.')
}

/** Whether the client has declared that it shows pages of tools ("apps") or opens URLs for the person ("visits"). */
export function declares({ era, request, header }: Call, fact: keyof typeof LETTERS): boolean {
  if (era.name === 'legacy') {
    const [, ...letters] = (header('mcp-session-id') ?? '').split('.')
    return letters.includes(LETTERS[fact])
  }
  return FACTS[fact](metaOf(request.params)[MetaKey.ClientCapabilities] as JsonObject)
}
