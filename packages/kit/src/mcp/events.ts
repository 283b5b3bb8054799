/** What an event tells about a call. Events never carry arguments or results. */
export interface McpCallEvent {
  server: string
  /** null for a request that was refused before its body was read. */
  kind: 'tool' | 'prompt' | 'resource' | null
  /** Name of the tool or prompt, URI of the resource or template. */
  name: string | null
  /** `Caller.id`; null for an anonymous caller. */
  caller: string | null
  milliseconds: number
}

declare module '@adonisjs/core/types' {
  interface EventsList {
    'mcp:called': McpCallEvent
    /** The answer is an error: of the tool, of the arguments, or an unexpected one. */
    'mcp:failed': McpCallEvent
    /** The caller is not authenticated, lacks a scope, or has made too many calls. */
    'mcp:refused': McpCallEvent
  }
}

export type McpOutcome = 'called' | 'failed' | 'refused'
export type Announce = (outcome: McpOutcome, event: McpCallEvent) => void
