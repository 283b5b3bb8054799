import { ErrorCode, invalidParams, McpError } from '#mcp/errors'
import { isObject, type JsonObject, type RpcMessage } from '#mcp/protocol/json_rpc'
import {
  ASSUMED_VERSION,
  LEGACY_VERSIONS,
  MetaKey,
  MODERN_VERSION,
  NEWEST_LEGACY_VERSION,
  SUPPORTED_VERSIONS,
} from '#mcp/protocol/versions'

/**
 * How a request is to be read. "legacy" is the era of the `initialize` handshake, "modern" that of
 * per-request metadata (2026-07-28, "Versioning and Compatibility", Terminology).
 */
export interface Era {
  name: 'legacy' | 'modern'

  /** Revision the answer follows. Without a session, an old client's header is all there is to go by. */
  version: string
}

/** Reads a request header: the headers that mirror the body are compared with it. */
export type ReadHeader = (name: string) => string | undefined

const LEGACY_ERAS = new Map<string, Era>(
  LEGACY_VERSIONS.map((version) => [version, { name: 'legacy', version }])
)
const MODERN_ERA: Era = { name: 'modern', version: MODERN_VERSION }

/**
 * The era of a message, judged by the body first: the version its `_meta` claims, else the header.
 * `initialize` without such a claim is an old client's, whatever its header says.
 *
 * @throws McpError -32020 when header and body disagree, -32022 for a version nobody here speaks,
 * -32602 for a modern request without its metadata; all of them HTTP 400
 */
export function eraOf(message: RpcMessage, header: ReadHeader): Era {
  const meta = message.params._meta
  const claim = isObject(meta) ? meta[MetaKey.ProtocolVersion] : undefined
  const headerVersion = header('mcp-protocol-version')

  if (claim !== undefined) {
    return claimedEra(claim, message, header)
  }
  if (headerVersion === undefined) {
    return LEGACY_ERAS.get(ASSUMED_VERSION)!
  }
  if (headerVersion === MODERN_VERSION && message.method !== 'initialize') {
    if (message.id !== undefined) {
      throw malformedMeta(MetaKey.ProtocolVersion)
    }
    return MODERN_ERA
  }

  const legacy = LEGACY_ERAS.get(headerVersion)
  if (legacy) {
    return legacy
  }
  if (message.method === 'initialize') {
    return LEGACY_ERAS.get(NEWEST_LEGACY_VERSION)!
  }
  throw unsupportedVersion(headerVersion)
}

function claimedEra(claim: unknown, message: RpcMessage, header: ReadHeader): Era {
  if (typeof claim !== 'string') {
    throw malformedMeta(MetaKey.ProtocolVersion)
  }
  const legacy = LEGACY_ERAS.get(claim)
  if (legacy) {
    return legacy
  }
  if (header('mcp-protocol-version') !== claim) {
    throw headerMismatch('MCP-Protocol-Version')
  }
  if (claim !== MODERN_VERSION) {
    throw unsupportedVersion(claim)
  }
  if (message.id !== undefined) {
    checkMeta(message.params._meta as JsonObject)
    if (header('mcp-method') !== message.method) {
      throw headerMismatch('Mcp-Method')
    }
  }
  return MODERN_ERA
}

/** The other fields every modern request declares (2026-07-28, "Per-request protocol fields"). */
function checkMeta(meta: JsonObject): void {
  const info = meta[MetaKey.ClientInfo]
  if (!isObject(meta[MetaKey.ClientCapabilities])) {
    throw malformedMeta(MetaKey.ClientCapabilities)
  }
  if (
    info !== undefined &&
    !(isObject(info) && typeof info.name === 'string' && typeof info.version === 'string')
  ) {
    throw malformedMeta(MetaKey.ClientInfo)
  }
}

function malformedMeta(key: string): McpError {
  return new McpError(ErrorCode.InvalidParams, `_meta["${key}"] is missing or malformed`, {
    httpStatus: 400,
  })
}

function unsupportedVersion(requested: string): McpError {
  return new McpError(ErrorCode.UnsupportedProtocolVersion, 'Unsupported protocol version', {
    httpStatus: 400,
    data: { supported: SUPPORTED_VERSIONS, requested },
  })
}

/** A header that mirrors the body is missing, malformed, or says something else. */
export function headerMismatch(name: string): McpError {
  return new McpError(
    ErrorCode.HeaderMismatch,
    `Header mismatch: ${name} is missing, malformed, or does not match the body`,
    { httpStatus: 400 }
  )
}

/** `_meta` of a request; every request may carry one. */
export function metaOf(params: JsonObject): JsonObject {
  if (params._meta === undefined) {
    return {}
  }
  if (!isObject(params._meta)) {
    throw invalidParams('"_meta" must be an object')
  }
  return params._meta
}
