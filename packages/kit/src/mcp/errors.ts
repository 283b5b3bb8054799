import { assertOr } from '#process/assert_or'

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
  /** Of the range that MCP leaves to implementations. */
  TooManyCalls: -32000,
  /** The person has to open a page before the call can succeed: revision 2025-11-25 alone. */
  UrlElicitationRequired: -32042,
  /** An unknown resource, up to revision 2025-11-25; later revisions use InvalidParams. */
  LegacyResourceNotFound: -32002,
} as const

/** A JSON-RPC error response. Message and data are sent to the client, so they must contain no internal details. */
export class McpError extends Error {
  override readonly name = 'McpError'
  readonly data: unknown
  /** 200 when the HTTP exchange itself was fine. */
  readonly httpStatus: number
  readonly headers: Record<string, string>

  constructor(
    readonly code: number,
    message: string,
    options: Partial<Pick<McpError, 'data' | 'httpStatus' | 'headers' | 'cause'>> = {}
  ) {
    super(message, { cause: options.cause })
    this.data = options.data
    this.httpStatus = options.httpStatus ?? 200
    this.headers = options.headers ?? {}
  }
}

/** An error of the exchange itself, so that the HTTP status is 400. */
export function badRequest(code: number, message: string, data?: unknown): McpError {
  return new McpError(code, message, { httpStatus: 400, data })
}

/** For the body and the JSON-RPC envelope. @throws {McpError} -32600 unless the condition holds */
export function assertRequest(isRight: unknown, message: string, status = 400): asserts isRight {
  assertOr(isRight, McpError, ErrorCode.InvalidRequest, message, { httpStatus: status })
}

/** The envelope was fine, so the HTTP status is 200. @throws {McpError} -32602 unless the condition holds */
export function assertParams(isRight: unknown, message: string): asserts isRight {
  assertOr(isRight, McpError, ErrorCode.InvalidParams, message)
}

/** The same call may succeed after these seconds. */
export function tryAgain(code: number, fault: string, httpStatus: number, retryAfter: number) {
  const message = `${fault}. Try again in ${retryAfter} seconds`
  const headers = { 'retry-after': String(retryAfter) }
  return new McpError(code, message, { httpStatus, data: { retryAfter }, headers })
}

/** A name sent by the client, cut to a length that is safe to repeat in a message. */
export const quoted = (name: string): string =>
  name.length > 128 ? `${name.slice(0, 128)}…` : name
