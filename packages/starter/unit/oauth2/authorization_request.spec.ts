import { test } from '@japa/runner'

import { AuthorizationRequest } from '#kit/oauth2/authorize/authorization_request'
import { Parameters } from '#kit/oauth2/parameters'

const SENT = {
  response_type: 'code',
  response_mode: 'query',
  client_id: 'client',
  redirect_uri: 'https://client.example.com/callback',
  scope: 'posts:read',
  state: 'state',
  code_challenge: 'challenge',
  code_challenge_method: 'S256',
  resource: 'https://api.example.com',
  dpop_jkt: 'thumbprint',
}

const requestWith = (fields: Record<string, string>) =>
  new AuthorizationRequest({} as never, Parameters.fromJson({ ...SENT, ...fields }))

test.group('The parameters of an authorization request', () => {
  test('are the same when it waits for a decision, but for those that are unknown', ({
    assert,
  }) => {
    const { fields } = requestWith({ prompt: 'consent', unknown: 'x' })
    assert.deepEqual(fields, { ...SENT, prompt: 'consent' })
  })

  test('are the same after a sign-in, but for the one that asked for it', ({ assert }) => {
    const request = requestWith({ prompt: 'login consent', unknown: 'x' })
    assert.deepEqual(request.fieldsAfter('login'), { ...SENT, prompt: 'consent' })
    assert.deepEqual(requestWith({ prompt: 'login' }).fieldsAfter('login'), SENT)
    const chosen = requestWith({ prompt: 'select_account login' }).fieldsAfter('select_account')
    assert.deepEqual(chosen, { ...SENT, prompt: 'login' })
  })
})
