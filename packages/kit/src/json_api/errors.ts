import { STATUS_CODES } from 'node:http'

import { Exception } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthError } from '#auth/errors'
import { jsonPointer } from '#json_api/json'
import { contentType } from '#json_api/media_types'
import { isForeignKeyViolation, isRefusedValue, isUniqueViolation } from '#database/errors'
import { assertOr } from '#process/assert_or'
import { isObject, objectOr } from '#process/objects'

/** Where an error comes from (JSON:API 1.1, Error Objects). */
export type ErrorSource = { pointer: string } | { parameter: string } | { header: string }

/** One problem (JSON:API 1.1, Error Objects). */
export interface ErrorObject {
  status: string
  code?: string
  title: string
  detail?: string
  source?: ErrorSource
  links?: { type: string }
  meta?: Record<string, unknown>
}

/** Members of an error that a profile defines, and its URL for the Content-Type. */
export interface ErrorExtras {
  /** The URL that identifies the kind of error. */
  type?: string
  meta?: Record<string, unknown>
  profile?: string
}

/** A JSON:API error. It renders itself as an `errors` document. */
export class JsonApiError extends Exception {
  readonly source?: ErrorSource

  constructor(
    problem: { status: number; code?: string; detail: string; source?: ErrorSource },
    readonly extras: ErrorExtras = {}
  ) {
    super(problem.detail, { status: problem.status, code: problem.code })
    this.source = problem.source
  }

  /** Called by AdonisJS when the error leaves a request handler. */
  handle(error: this, ctx: HttpContext) {
    renderErrors(error, ctx)
  }
}

/** A query parameter that cannot be honoured (400). */
export class InvalidParameter extends JsonApiError {
  constructor(parameter: string, detail: string, extras?: ErrorExtras) {
    super({ status: 400, code: 'invalid_parameter', detail, source: { parameter } }, extras)
  }
}

/** @throws {InvalidParameter} 400 unless the condition holds */
export function assertParameter(
  isRight: unknown,
  parameter: string,
  detail: string,
  extras?: ErrorExtras
): asserts isRight {
  assertOr(isRight, InvalidParameter, parameter, detail, extras)
}

/** @throws {JsonApiError} unless the condition holds: a part of a request document cannot be accepted */
export function assertDocument(
  isRight: unknown,
  detail: string,
  pointer = '',
  status = 400
): asserts isRight {
  assertOr(isRight, JsonApiError, { status, detail, source: { pointer } })
}

/** What AdonisJS and its packages throw. */
interface Failure {
  status?: unknown
  code?: unknown
  message?: unknown
  messages?: unknown
  source?: ErrorSource
  headers?: Record<string, string>
}

/** Whether the body parser met JSON that is broken, or that is neither an object nor an array. */
function isUnreadableJson(failure: unknown): boolean {
  if (!(failure instanceof Exception)) {
    return failure instanceof SyntaxError && 'body' in failure
  }
  const { code, status, message } = failure
  return code === 'E_MALFORMED_BODY' || (status === 422 && message.startsWith('Invalid JSON'))
}

/** JSON that is beyond a limit is JSON. */
const unreadableJson = ({ message }: Error): Failure => ({
  status: 400,
  code: 'invalid_json',
  message: /too many/.test(message) ? `${message}.` : 'The request body is not a JSON document.',
  source: { pointer: '' },
})

/** Whether a failure is a broken rule of the database, which callers hear of: see `violation`. */
export function isViolation(failure: unknown): failure is Error {
  return isUniqueViolation(failure) || isForeignKeyViolation(failure) || isRefusedValue(failure)
}

const CONFLICT = { status: 409, code: 'conflict' }
const REFERRED = { ...CONFLICT, message: 'Other resources refer to this one.' }
export const MISSING = { status: 404, code: 'E_ROW_NOT_FOUND', message: 'There is no such row.' }
const NO_RELATED = 'A related resource does not exist.'
const MISSING_RELATED = { status: 404, code: 'related_not_found', message: NO_RELATED }
const NO_VALUE = 'No column can have this value.'

/** For the failure of a look-up: an id that its column cannot hold is that of no row. @throws 404 then, and the failure otherwise */
export function asMissing(failure: unknown): never {
  throw isRefusedValue(failure) ? new Exception(MISSING.message, MISSING) : failure
}

/**
 * What a broken rule of the database says to a caller: 409 for a value that is taken and for a resource
 * that others refer to, 404 for a related resource that does not exist (JSON:API 1.1, Creating Resources).
 * A value that no column can have is 422 in a document; elsewhere it is that of a filter, or an id.
 */
function violation(failure: unknown, method: string, filter: unknown, document: unknown) {
  if (isRefusedValue(failure)) {
    if (['POST', 'PUT', 'PATCH'].includes(method)) {
      return isRelatedId(failure, document)
        ? MISSING_RELATED
        : { status: 422, code: 'invalid_value', message: NO_VALUE }
    }
    return filter === undefined ? MISSING : new InvalidParameter('filter', NO_VALUE)
  }
  if (isUniqueViolation(failure)) {
    return { ...CONFLICT, message: 'A resource with such a value exists already.' }
  }
  const broken = method === 'DELETE' ? REFERRED : MISSING_RELATED
  return isForeignKeyViolation(failure) ? broken : null
}

/** Whether what a column cannot hold is the id of a linked resource, e.g. no UUID: PostgreSQL's message quotes it. */
function isRelatedId(failure: unknown, document: unknown): boolean {
  const { data } = objectOr(document)
  const linked = Object.values(objectOr(objectOr(data).relationships))
  const identifiers = [data, ...linked.map((one) => objectOr(one).data)].flat()
  const { message } = failure as Error
  return identifiers.some((one) => isObject(one) && message.includes(`"${one.id}"`))
}

/** The part of a request document that a failure concerns, when it is not the whole. */
type Place = { pointer: string; document: unknown; isRemoval: boolean }

const places = new WeakMap<object, Place>()

/** Says which part of the request a failure concerns: pointers of its errors start there. */
export function locateFailure(failure: unknown, place: Place): unknown {
  places.set(Object(failure), place)
  return failure
}

/** Answers any failure with an `errors` document (JSON:API 1.1, Errors). */
export function renderErrors(failure: unknown, ctx: HttpContext) {
  const { request, response } = ctx
  const place = places.get(Object(failure))
  const method = place?.isRemoval ? 'DELETE' : request.method()
  const document = place ? place.document : request.body()
  const error: Failure = isUnreadableJson(failure)
    ? unreadableJson(failure as Error)
    : (violation(failure, method, request.qs().filter, document) ?? Object(failure))
  const extras: ErrorExtras = error instanceof JsonApiError ? error.extras : {}
  const headers = error instanceof AuthError ? error.headersFor(ctx) : error.headers

  for (const [name, value] of Object.entries(headers ?? {})) {
    response.header(name, value)
  }
  response.vary('Accept')
  const objects = errorObjects(error, document, extras)
  const errors = place ? objects.map((one) => placed(one, place)) : objects
  response
    .status(statusOf(error))
    .header('Content-Type', contentType(extras.profile))
    .send({ errors })
}

function placed(error: ErrorObject, { pointer }: Place): ErrorObject {
  const own = error.source && 'pointer' in error.source ? error.source.pointer : ''
  return { ...error, source: { pointer: `${pointer}${own}` } }
}

function statusOf({ status }: Failure) {
  const number = Number.isInteger(status) ? Number(status) : 500
  return number >= 400 && number < 600 ? number : 500
}

function errorObjects(error: Failure, body: unknown, { type, meta }: ErrorExtras): ErrorObject[] {
  const status = statusOf(error)
  const problem = { status: String(status), title: STATUS_CODES[status] ?? 'Error' }

  /* What went wrong inside is for the log alone. */
  if (status >= 500) {
    return [problem]
  }

  if (error.code === 'E_VALIDATION_ERROR' && Array.isArray(error.messages)) {
    return error.messages.map(({ field, rule, message }) => ({
      ...problem,
      code: rule,
      detail: message,
      source: { pointer: pointerTo(field, body) },
    }))
  }

  return [
    {
      ...problem,
      ...(typeof error.code === 'string' && { code: error.code }),
      ...(typeof error.message === 'string' && { detail: error.message }),
      ...(error.source && { source: error.source }),
      ...(type && { links: { type } }),
      ...(meta && { meta }),
    },
  ]
}

/**
 * The JSON Pointer (RFC 6901) of a validated field. It has to point at a value
 * that the document holds, so a missing member gives that of its parent.
 */
function pointerTo(field: string, body: unknown) {
  const path: string[] = []
  let value = body
  for (const segment of field.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, segment)) {
      break
    }
    value = (value as Record<string, unknown>)[segment]
    path.push(segment)
  }
  return jsonPointer(...path)
}
