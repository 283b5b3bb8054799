import type { ClientAdmission } from '#auth/protected_resources'

/** Clients that come with a metadata document; all of them can register themselves, some know that alone. */
const WITH_DOCUMENT = ['Claude Code', 'Codex', 'VS Code']
const ALL = [...WITH_DOCUMENT, 'mcp-remote', 'MCP Inspector', 'mcporter', 'mcpc', 'AI SDK']

/** Names of clients that connect by the URL alone, and of those that do not. */
export interface KnownClients {
  connecting: string[]
  refused: string[]
  /** What to do for those that do not, as the rest of a sentence. */
  otherwise: string
}

export function knownClients(admission: ClientAdmission): KnownClients {
  const { documents, registration, otherwise } = admission
  const connecting = registration ? ALL : documents ? WITH_DOCUMENT : []
  return { connecting, refused: ALL.filter((name) => !connecting.includes(name)), otherwise }
}

/** The same in a sentence or two, with what to set. */
export function describeClients({ connecting, refused, otherwise }: KnownClients): string {
  const sentences = [
    connecting.length && `By the URL alone connect ${connecting.join(', ')}`,
    refused.length && `${refused.join(', ')} cannot register: ${otherwise}`,
  ]
  return sentences.filter(Boolean).join('. ')
}
