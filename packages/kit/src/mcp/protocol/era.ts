import { badRequest, ErrorCode } from '#mcp/errors'
import { isObject, objectOr } from '#process/objects'
import type { RpcMessage } from '#mcp/protocol/json_rpc'
import type { JsonObject } from '#mcp/types'

/**
 * The era whose rules apply to a request: "legacy" for revisions with the `initialize` handshake,
 * "modern" for per-request metadata (2026-07-28, "Versioning and Compatibility", Terminology).
 */
export interface Era {
  name: 'legacy' | 'modern'
  /** The revision that the answer follows. For a legacy request only its header tells. */
  version: string
}

/** Reads a request header by its lower-case name. */
export type ReadHeader = (name: string) => string | undefined

/** The stateless revision: each request has its version and capabilities in `_meta`. */
export const MODERN_VERSION = '2026-07-28'
const NEWEST_LEGACY_VERSION = '2025-11-25'
/** The revision of a request without the `MCP-Protocol-Version` header (2025-11-25, "Protocol Version Header"). */
export const ASSUMED_VERSION = '2025-03-26'
/** Revisions with the `initialize` handshake, newest first. */
const LEGACY_VERSIONS = [NEWEST_LEGACY_VERSION, '2025-06-18', ASSUMED_VERSION]

export const SUPPORTED_VERSIONS: readonly string[] = [MODERN_VERSION, ...LEGACY_VERSIONS]

const LEGACY_ERAS = new Map<string, Era>(
  LEGACY_VERSIONS.map((version) => [version, { name: 'legacy', version }])
)
const MODERN_ERA: Era = { name: 'modern', version: MODERN_VERSION }

/** Reserved keys of `_meta` (2026-07-28, "_meta"). */
export const MetaKey = {
  ProtocolVersion: 'io.modelcontextprotocol/protocolVersion',
  ClientInfo: 'io.modelcontextprotocol/clientInfo',
  ClientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  LogLevel: 'io.modelcontextprotocol/logLevel',
  ServerInfo: 'io.modelcontextprotocol/serverInfo',
  SubscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const

/** The version in the answer to `initialize`: the requested one if supported, else the newest legacy one. */
export function negotiate(requested: string): string {
  return LEGACY_ERAS.has(requested) ? requested : NEWEST_LEGACY_VERSION
}

/**
 * The era of a message: by the version in its `_meta`, else by the header, else the oldest revision.
 * `initialize` without a version in `_meta` is always legacy.
 * @throws {McpError} -32020 when header and body disagree, -32022 for an unsupported version,
 * -32602 for a modern request without its metadata; each with HTTP 400
 */
export function eraOf(message: RpcMessage, header: ReadHeader): Era {
  const claim = objectOr(message.params._meta)[MetaKey.ProtocolVersion]
  if (claim !== undefined) {
    return claimedEra(claim, message, header)
  }
  const version = header('mcp-protocol-version') ?? ASSUMED_VERSION
  const isInitialize = message.method === 'initialize'
  if (version === MODERN_VERSION && !isInitialize) {
    assertMeta(message.id === undefined, MetaKey.ProtocolVersion)
    return MODERN_ERA
  }
  const legacy = LEGACY_ERAS.get(isInitialize ? negotiate(version) : version)
  assertSupported(legacy, version)
  return legacy
}

function claimedEra(claim: unknown, message: RpcMessage, header: ReadHeader): Era {
  assertMeta(typeof claim === 'string', MetaKey.ProtocolVersion)
  const legacy = LEGACY_ERAS.get(claim)
  if (legacy) {
    return legacy
  }
  assertMirrored(header('mcp-protocol-version') === claim, 'MCP-Protocol-Version')
  assertSupported(claim === MODERN_VERSION, claim)
  if (message.id !== undefined) {
    checkMeta(message.params._meta as JsonObject)
    assertMirrored(header('mcp-method') === message.method, 'Mcp-Method')
  }
  return MODERN_ERA
}

/** Validates the other required fields (2026-07-28, "Per-request protocol fields"). */
function checkMeta(meta: JsonObject): void {
  const info = meta[MetaKey.ClientInfo]
  assertMeta(isObject(meta[MetaKey.ClientCapabilities]), MetaKey.ClientCapabilities)
  const { name, version } = objectOr(info)
  const isNamed = typeof name === 'string' && typeof version === 'string'
  assertMeta(info === undefined || isNamed, MetaKey.ClientInfo)
}

function assertMeta(isRight: boolean, key: string): asserts isRight {
  if (!isRight) {
    throw badRequest(ErrorCode.InvalidParams, `_meta["${key}"] is missing or malformed`)
  }
}

function assertSupported(isKnown: unknown, requested: string): asserts isKnown {
  if (!isKnown) {
    const data = { supported: SUPPORTED_VERSIONS, requested }
    throw badRequest(ErrorCode.UnsupportedProtocolVersion, 'Unsupported protocol version', data)
  }
}

/** @throws {McpError} -32020 unless a header has what is in the body */
export function assertMirrored(isSame: boolean, name: string): void {
  if (!isSame) {
    const message = `Header mismatch: ${name} is missing, malformed, or does not match the body`
    throw badRequest(ErrorCode.HeaderMismatch, message)
  }
}
