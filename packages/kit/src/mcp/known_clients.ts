/** How a client gets its `client_id` where nobody has registered it. */
export interface ClientAdmission {
  /** By a metadata document at the URL that is its id. */
  documents: boolean
  /** By registering itself (RFC 7591). */
  registration: boolean
}

/** Clients that come with a metadata document; all of them can register themselves, some know that alone. */
const WITH_DOCUMENT = ['Claude Code', 'Codex', 'VS Code']
const ALL = [...WITH_DOCUMENT, 'mcp-remote', 'MCP Inspector', 'mcporter', 'mcpc', 'AI SDK']

/** Names of clients that connect by the URL alone, and of those that do not. */
export interface KnownClients {
  connecting: string[]
  refused: string[]
}

export function knownClients({ documents, registration }: ClientAdmission): KnownClients {
  const connecting = registration ? ALL : documents ? WITH_DOCUMENT : []
  return { connecting, refused: ALL.filter((name) => !connecting.includes(name)) }
}

/** The same in a sentence or two, with what to set. */
export function describeClients({ connecting, refused }: KnownClients): string {
  const sentences = [
    connecting.length && `By the URL alone connect ${connecting.join(', ')}`,
    refused.length &&
      `${refused.join(', ')} cannot register: set OAUTH_DYNAMIC_REGISTRATION=true, or register them with "node ace auth:oauth2:client"`,
  ]
  return sentences.filter(Boolean).join('. ')
}
