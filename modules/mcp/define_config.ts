import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import string from '@adonisjs/core/helpers/string'

import { positiveNumber } from '#support/config_checks'

/** What `config/mcp.ts` may say. */
export interface McpConfig {
  /**
   * Origins of web pages that may call the endpoint ("https://app.example.com"). A request
   * without `Origin` passes: it comes from no page.
   */
  allowedOrigins: string[]

  /**
   * Names the endpoint answers to in the `Host` header, without port. Loopback names always
   * pass. Any other name is how a DNS rebinding attack looks.
   */
  allowedHosts: string[]

  /** Largest request body: bytes, or an expression like "1mb". */
  bodyLimit: number | string

  /** Items on one page of a list; a server class may set its own. */
  pageSize: number

  /** How long a client may take to come back with an answer: milliseconds, or "10 minutes". */
  requestStateTtl: number | string
}

/** The settings with every expression read: bytes and milliseconds. */
export interface ResolvedMcpConfig {
  allowedOrigins: ReadonlySet<string>
  allowedHosts: ReadonlySet<string>
  bodyLimit: number
  pageSize: number
  requestStateTtl: number
}

/**
 * Settings of the MCP endpoint, with their defaults.
 *
 * @throws InvalidArgumentsException for an origin that is none, or a limit that is no positive number
 */
export function defineConfig(config: Partial<McpConfig> = {}): ResolvedMcpConfig {
  return {
    allowedOrigins: new Set((config.allowedOrigins ?? []).map(origin)),
    allowedHosts: new Set((config.allowedHosts ?? []).map((host) => host.toLowerCase())),
    bodyLimit: whole('bodyLimit', string.bytes.parse(config.bodyLimit ?? '1mb')),
    pageSize: whole('pageSize', config.pageSize ?? 50),
    requestStateTtl: whole(
      'requestStateTtl',
      string.milliseconds.parse(config.requestStateTtl ?? '10 minutes')
    ),
  }
}

function origin(value: string): string {
  if (!URL.canParse(value) || new URL(value).origin !== value.toLowerCase()) {
    throw new InvalidArgumentsException(
      `McpConfig: "${value}" in "allowedOrigins" is not an origin (scheme, host and port, nothing more)`
    )
  }
  return value.toLowerCase()
}

/** An expression that cannot be read is null. */
function whole(setting: string, value: number | null): number {
  return positiveNumber('McpConfig', setting, value ?? Number.NaN, { whole: true })
}
