import { assertArgument, positiveNumber, withDefaults } from '#config/checks'

/** Clients that nobody registered: their id is the URL of a document that describes them (Client ID Metadata Documents). */
export interface ClientDocumentsConfig {
  /** Default true. When false, such clients are refused everywhere, those known from before among them. */
  enabled?: boolean
  /** Hosts whose clients are accepted, with the port unless it is 443: `claude.ai`. The addresses in their documents are bound to them as well. Default null: any public host. */
  hosts?: string[] | null
  /** Bytes that a document may have. Default 5120. */
  maxBytes?: number
  /** Documents that a process fetches in a minute, for all callers together; a quarter is kept for people at addresses that have not asked in it. Default 60. */
  fetchesPerMinute?: number
}

/** @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work */
export function resolveClientDocuments(config: ClientDocumentsConfig = {}) {
  const resolved = withDefaults('ClientDocumentsConfig', config, {
    enabled: true,
    hosts: null,
    maxBytes: 5120,
    fetchesPerMinute: 60,
  })
  const { hosts, maxBytes, fetchesPerMinute } = resolved
  positiveNumber('ClientDocumentsConfig', 'maxBytes', maxBytes, { whole: true })
  positiveNumber('ClientDocumentsConfig', 'fetchesPerMinute', fetchesPerMinute, { whole: true })
  for (const host of hosts ?? []) {
    /* A host in another spelling would match no client. */
    assertArgument(
      !host.includes('*') && URL.parse(`https://${host}/`)?.host === host,
      `ClientDocumentsConfig: "${host}" must be a host in lower case, with its port unless that is 443`
    )
  }
  return resolved
}
