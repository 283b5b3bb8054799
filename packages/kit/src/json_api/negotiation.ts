import type { HttpRequest } from '@adonisjs/core/http'

import { JsonApiError } from '#json_api/errors'
import { MEDIA_TYPE, type MediaRange, contentType, mediaRanges } from '#json_api/media_types'
import { assertOr } from '#process/assert_or'

/** The parameters of the media type (JSON:API 1.1, Parameters). */
const PARAMETERS = ['ext', 'profile']

/** Whether a range has no parameters but these, and names the extension of the route alone. */
function isSupported(
  { parameters, isMalformed }: MediaRange,
  extension: string | null,
  known: readonly string[]
) {
  const asked = (parameters.get('ext') ?? '').split(' ').filter((uri) => uri !== '')
  return (
    !isMalformed &&
    [...parameters.keys()].every((name) => known.includes(name)) &&
    asked.every((uri) => uri === extension) &&
    (extension === null || asked.length > 0)
  )
}

/** How sentences name the only representation of a route. */
const described = (extension: string | null) =>
  extension === null ? `${MEDIA_TYPE} without extensions` : contentType(null, extension)

function jsonApiRanges(header: string | undefined) {
  return mediaRanges(header ?? '').filter(({ type }) => type === MEDIA_TYPE)
}

export function asksForJsonApi(request: HttpRequest) {
  return jsonApiRanges(request.header('accept')).length > 0
}

/**
 * Unknown profiles are ignored, as they have to be (JSON:API 1.1, Server Responsibilities).
 * @param extension the one that the route speaks, and requires
 * @throws {JsonApiError} 406 when every JSON:API range of Accept has another parameter or extension
 */
export function assertAcceptable(request: HttpRequest, extension: string | null = null) {
  const ranges = jsonApiRanges(request.header('accept'))
  /* The weight is not a parameter of the media type (RFC 9110 §12.4.2). */
  const isWanted = ({ parameters }: MediaRange) => Number(parameters.get('q') ?? 1) > 0
  const known = [...PARAMETERS, 'q']
  const isAcceptable = ranges.some((one) => isSupported(one, extension, known) && isWanted(one))
  const detail = `The only representation is ${described(extension)}.`
  const source = { header: 'Accept' }
  assertOr(ranges.length === 0 || isAcceptable, JsonApiError, { status: 406, detail, source })
}

/**
 * Requires JSON:API, or plain JSON. Forms are refused: another site can send them.
 * @throws {JsonApiError} 415 for another type, and for JSON:API with any parameter but `ext` and
 * `profile`, or with another extension than the route's
 */
export function assertContentType(request: HttpRequest, extension: string | null = null) {
  const [range, other] = mediaRanges(request.header('content-type') ?? '')
  const type = other ? null : range?.type
  const isEmpty = !request.hasBody() || request.header('content-length') === '0'
  const isPlain = isEmpty || type === 'application/json'
  const isRead = type === MEDIA_TYPE ? isSupported(range!, extension, PARAMETERS) : isPlain
  const detail = `The request document has to be ${described(extension)}.`
  assertOr(isRead, JsonApiError, { status: 415, detail, source: { header: 'Content-Type' } })
}
