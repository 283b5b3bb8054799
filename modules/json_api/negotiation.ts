import type { HttpRequest } from '@adonisjs/core/http'

import { JsonApiError } from '#json_api/errors'
import { MEDIA_TYPE } from '#json_api/media_type'

/** One media range: a type and its parameters, whose quoted values may hold any separator. */
const MEDIA_RANGE =
  /\s*([^\s;,"]+)((?:\s*;\s*[^\s;,="]+\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s;,"]*))*)\s*(?:,|$)/y
const PARAMETER = /;\s*([^\s;,="]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g

interface MediaRange {
  type: string
  parameters: Map<string, string>
}

/**
 * Reads a Content-Type or Accept header (RFC 9110 §8.3.1, §12.5.1). Names of
 * types and parameters are lower case. What cannot be read ends the list.
 */
function mediaRanges(header: string): MediaRange[] {
  const ranges: MediaRange[] = []
  for (MEDIA_RANGE.lastIndex = 0; MEDIA_RANGE.lastIndex < header.length;) {
    const match = MEDIA_RANGE.exec(header)
    if (!match) {
      break
    }
    const parameters = new Map<string, string>()
    const [, type = '', list = ''] = match
    for (const [, name = '', quoted, token = ''] of list.matchAll(PARAMETER)) {
      parameters.set(name.toLowerCase(), quoted ?? token)
    }
    ranges.push({ type: type.toLowerCase(), parameters })
  }
  return ranges
}

/** Whether only `ext` and `profile` stand there, and no extension is asked for: we have none. */
function isSupported(parameters: Map<string, string>) {
  const names = [...parameters.keys()]
  return (
    names.every((name) => name === 'ext' || name === 'profile') && !parameters.get('ext')?.trim()
  )
}

/**
 * Judges the media type parameters of a request (JSON:API 1.1, Server
 * Responsibilities). Unknown profiles are ignored, as they have to be.
 *
 * @throws {JsonApiError} 415 when Content-Type is JSON:API with any parameter
 * but `ext` and `profile`, or with an extension
 * @throws {JsonApiError} 406 when every JSON:API range of Accept is so
 */
export function negotiate(request: HttpRequest) {
  const contentType = request.header('content-type')
  if (contentType && isJsonApi(contentType)) {
    const [range] = mediaRanges(contentType)
    if (!range || !isSupported(range.parameters)) {
      throw unsupportedMediaType()
    }
  }

  const accept = request.header('accept')
  if (!accept || !isJsonApi(accept)) {
    return
  }
  const ranges = mediaRanges(accept).filter(({ type }) => type === MEDIA_TYPE)
  const isAcceptable = ranges.some(({ parameters }) => {
    /* The weight is no parameter of the media type (RFC 9110 §12.4.2). */
    const weight = parameters.get('q')
    parameters.delete('q')
    return isSupported(parameters) && (weight === undefined || Number(weight) > 0)
  })
  if (!isAcceptable) {
    throw new JsonApiError({
      status: 406,
      detail: `The only representation is ${MEDIA_TYPE} without extensions.`,
      source: { header: 'Accept' },
    })
  }
}

/** Whether the caller names JSON:API among what it accepts. */
export function asksForJsonApi(request: HttpRequest) {
  return isJsonApi(request.header('accept') ?? '')
}

/**
 * Requires that a body is JSON: a JSON:API document, or one that a client sent
 * under the name of plain JSON. Forms are refused: another site can send them.
 *
 * @throws {JsonApiError} 415
 */
export function assertContentType(request: HttpRequest) {
  const [range] = mediaRanges(request.header('content-type') ?? '')
  if (request.hasBody() && !(range && [MEDIA_TYPE, 'application/json'].includes(range.type))) {
    throw unsupportedMediaType()
  }
}

function isJsonApi(header: string) {
  return header.toLowerCase().includes(MEDIA_TYPE)
}

function unsupportedMediaType() {
  return new JsonApiError({
    status: 415,
    detail: `The request document has to be ${MEDIA_TYPE} without extensions.`,
    source: { header: 'Content-Type' },
  })
}
