import { AuthError, type AuthErrorOptions } from '#auth/errors'

/** No pushed request waits under this `request_uri` for this client (400, RFC 9101 §6.1). */
export class InvalidRequestUri extends AuthError {
  constructor(options?: AuthErrorOptions) {
    super('invalid_request_uri', 'The request_uri is unknown, used or expired.', options)
  }
}
