/** Error codes of JSON-RPC 2.0 and of the MCP specification (2026-07-28, "Error Codes"). */
export const ErrorCode = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  HeaderMismatch: -32020,
  MissingRequiredClientCapability: -32021,
  UnsupportedProtocolVersion: -32022,

  /** A resource that is not there, up to revision 2025-11-25; later ones say InvalidParams. */
  LegacyResourceNotFound: -32002,
} as const

/**
 * An error of the protocol. Its message and data go to the client as they are, so they never
 * carry anything of the inside.
 */
export class McpError extends Error {
  readonly code: number
  readonly data: unknown

  /** HTTP status of the answer; 200 where the error is an ordinary answer to a call. */
  readonly httpStatus: number

  constructor(
    code: number,
    message: string,
    options: { httpStatus?: number; data?: unknown; cause?: unknown } = {}
  ) {
    super(message, { cause: options.cause })
    this.name = 'McpError'
    this.code = code
    this.data = options.data
    this.httpStatus = options.httpStatus ?? 200
  }
}

/** The body or the envelope is at fault: answered with HTTP 400. */
export function invalidRequest(message: string, httpStatus = 400): McpError {
  return new McpError(ErrorCode.InvalidRequest, message, { httpStatus })
}

/** A parameter is at fault. The envelope was fine, so HTTP says 200. */
export function invalidParams(message: string, data?: unknown): McpError {
  return new McpError(ErrorCode.InvalidParams, message, { data })
}

/** A name from outside, short enough to repeat in a message. */
export function quoted(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name
}
