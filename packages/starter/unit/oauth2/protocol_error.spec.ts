import { Exception } from '@adonisjs/core/exceptions'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

import { InvalidRequest, ServerError } from '#kit/auth/errors'
import { toOAuthProtocolError } from '#kit/oauth2/protocol_error'

/** A request of the token endpoint. */
function tokenRequest() {
  const ctx = new HttpContextFactory().create()
  return Object.assign(ctx, { route: router.match('/oauth/token', 'POST', false)!.route })
}

const failure = (status: number) => new Exception('It failed', { status })

test.group('A failure at an endpoint of OAuth that is not one by itself', () => {
  test('{$self} is that of a body: invalid_request')
    .with([400, 413, 415, 422])
    .run(({ assert }, status) => {
      assert.instanceOf(toOAuthProtocolError(failure(status), tokenRequest()), InvalidRequest)
    })

  test('{$self} of a middleware of the application keeps its answer, e.g. that of a limit')
    .with([401, 403, 404, 429])
    .run(({ assert }, status) => {
      assert.isNull(toOAuthProtocolError(failure(status), tokenRequest()))
    })

  test('any other one is a server_error', ({ assert }) => {
    assert.instanceOf(toOAuthProtocolError(failure(500), tokenRequest()), ServerError)
    assert.instanceOf(toOAuthProtocolError(new Error('x'), tokenRequest()), ServerError)
  })
})
