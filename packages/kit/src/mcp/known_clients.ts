import type { ClientAdmission } from '#auth/protected_resources'

/** Clients that come with a metadata document; all of them can register themselves, the others know that alone. */
const WITH_DOCUMENT = ['Claude Code', 'Codex', 'VS Code']
const OTHERS = ['Gemini CLI', 'opencode', 'mcp-remote', 'Inspector', 'mcporter', 'mcpc', 'AI SDK']

/** Clients that connect by the URL alone, and those that do not, with the end of a sentence for them. */
export function knownClients({ documents, registration, otherwise }: ClientAdmission) {
  const known = [WITH_DOCUMENT, OTHERS]
  const count = registration ? known.length : Number(documents)
  return { connecting: known.slice(0, count).flat(), refused: known.slice(count).flat(), otherwise }
}

/** The same in a sentence or two, with what to set. */
export function describeClients(clients: ReturnType<typeof knownClients>): string {
  const { connecting, refused, otherwise } = clients
  const sentences = [
    connecting.length && `By the URL alone connect ${connecting.join(', ')}`,
    refused.length && `${refused.join(', ')} cannot register: ${otherwise}`,
  ]
  return sentences.filter(Boolean).join('. ')
}
