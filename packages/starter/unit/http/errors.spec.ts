import { test } from '@japa/runner'

import { BodyTooLarge, ClientGone, MalformedBody, UnsupportedBody } from '#kit/http/errors'

test.group('Errors of bodies', () => {
  test('have a status and a code', ({ assert }) => {
    const errors = [
      ...[new MalformedBody(), new MalformedBody('x', 422), new BodyTooLarge()],
      ...[new UnsupportedBody('x'), new ClientGone()],
    ]
    assert.deepEqual(
      errors.map(({ status, code, message }) => [status, code, message]),
      [
        [400, 'E_MALFORMED_BODY', 'The request body is not well-formed'],
        [422, 'E_MALFORMED_BODY', 'x'],
        [413, 'E_REQUEST_ENTITY_TOO_LARGE', 'The request body is too large'],
        [415, 'E_UNSUPPORTED_MEDIA_TYPE', 'x'],
        [400, 'E_REQUEST_ABORTED', 'The client closed the connection'],
      ]
    )
  })
})
