/** A client of the matrix. */
export interface Program {
  name: string
  /** Its package, whose version the table names. */
  npm: string
  /** Its module in programs/. */
  module: string
  /** Given to the module's `start`. */
  mode?: unknown
  /** Where it connects: the mount that ships, which answers strangers, or one that does not. */
  mount: '/mcp' | '/mcp/closed'
  /** Whether it refreshes when its clock says so, whatever the server answers. */
  byClock?: boolean
  /** Why it cannot get its client_id so. */
  lacks?: Partial<Record<Way, string>>
  /** Why it cannot call several times at once when its token has expired. */
  oneAtATime?: string
}

/** How a client gets its client_id. */
export type Way = 'metadata document' | 'dynamic registration' | 'registered by you'

const sdk = { module: 'sdk', mount: '/mcp' } as const
const v2 = { ...sdk, npm: '@modelcontextprotocol/client' }

export const PROGRAMS: Program[] = [
  { ...sdk, name: 'SDK v1', npm: '@modelcontextprotocol/sdk', mode: 'v1' },
  { ...v2, name: 'SDK v2, legacy', mode: 'legacy' },
  { ...v2, name: 'SDK v2, auto', mode: 'auto' },
  { ...v2, name: 'SDK v2, pinned', mode: { pin: '2026-07-28' } },
  { name: 'AI SDK', npm: '@ai-sdk/mcp', module: 'ai_sdk', mount: '/mcp' },
  {
    name: 'Claude Code',
    npm: '@anthropic-ai/claude-code',
    module: 'claude_code',
    mount: '/mcp',
    lacks: { 'dynamic registration': 'it has a document, and registers where a server takes none' },
  },
  {
    name: 'Codex',
    npm: '@openai/codex',
    module: 'codex',
    mount: '/mcp',
    lacks: { 'metadata document': 'it uses its own, which no test can reach' },
  },
  {
    name: 'Mastra',
    npm: '@mastra/mcp',
    module: 'mastra',
    mount: '/mcp',
    lacks: { 'dynamic registration': 'it does not register itself' },
  },
  {
    name: 'mcp-remote',
    npm: 'mcp-remote',
    module: 'mcp_remote',
    mount: '/mcp',
    oneAtATime: 'it writes its files without a lock',
  },
  {
    name: 'Inspector, command line',
    npm: '@modelcontextprotocol/inspector',
    module: 'inspector',
    mount: '/mcp',
  },
  { name: 'mcpc', npm: '@apify/mcpc', module: 'mcpc', mount: '/mcp', byClock: true },
  { name: 'mcporter', npm: 'mcporter', module: 'mcporter', mount: '/mcp/closed', byClock: true },
  {
    name: 'mcporter with `"auth": "oauth"` and an `oauthRedirectUrl`',
    npm: 'mcporter',
    module: 'mcporter',
    mode: 'oauth',
    mount: '/mcp',
    byClock: true,
    oneAtATime: 'each of its processes wants the port',
  },
]
