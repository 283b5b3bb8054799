import { Exception } from '@adonisjs/core/exceptions'
import { errors, type HttpContext } from '@adonisjs/core/http'

import { assertOr } from '#process/assert_or'

/** The body is not what its type says, or holds text that is not Unicode (400). */
export class MalformedBody extends Exception {
  static override code = 'E_MALFORMED_BODY'

  /** @param status 422 for a body that is well-formed and cannot be used all the same */
  constructor(message = 'The request body is not well-formed', status: 400 | 422 = 400) {
    super(message, { status })
  }
}

/** The body, one of its parts or their number is beyond a limit (413). */
export class BodyTooLarge extends Exception {
  static override status = 413
  static override code = 'E_REQUEST_ENTITY_TOO_LARGE'
  static override message = 'The request body is too large'
}

/** The body is of a type or an encoding that the route does not read (415). */
export class UnsupportedBody extends Exception {
  static override status = 415
  static override code = 'E_UNSUPPORTED_MEDIA_TYPE'
}

/** The client closed the connection before its body had arrived. There is nobody to answer. */
export class ClientGone extends Exception {
  static override status = 400
  static override code = 'E_REQUEST_ABORTED'
  static override message = 'The client closed the connection'
}

/** Databases, hashes and URLs take Unicode alone. @throws {MalformedBody} for a lone surrogate */
export function assertText(text: string): void {
  const isText = text.isWellFormed()
  assertOr(isText, MalformedBody, 'The request body has characters that are not text')
}

/** @throws {E_ROUTE_NOT_FOUND} as of an address that does not exist: there is no such thing, or settings leave it off */
export function assertFound(isFound: boolean, { request }: HttpContext): asserts isFound {
  assertOr(isFound, errors.E_ROUTE_NOT_FOUND, [request.method(), request.url()])
}
