import { test } from '@japa/runner'

import {
  type ClientRepository,
  InMemoryClientRepository,
} from '#kit/oauth2/clients/client_repository'
import { ALL_GRANTS, isolate, post, read, useConfig } from '#starter/helpers/oauth'
import { signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** Clients that cannot be read. */
function failingClients(error: Error): ClientRepository {
  return Object.assign(new InMemoryClientRepository(), {
    find() {
      throw error
    },
  })
}

const BUSY = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
const REQUESTS: [path: string, fields: Record<string, string>][] = [
  ['/oauth/token', { grant_type: 'client_credentials', client_id: 'x', client_secret: 'y' }],
  ['/token', { username: 'x', password: 'y', client_id: 'x' }],
  ['/oauth/introspect', { token: 'x', client_id: 'x', client_secret: 'y' }],
  ['/oauth/revoke', { token: 'x', client_id: 'x', client_secret: 'y' }],
]

test.group('Failures of OAuth endpoints', (group) => {
  group.each.setup(isolate)

  test('an unexpected failure is server_error, says nothing about its cause and is not cached', async ({
    assert,
  }) => {
    await useConfig(
      { grantTypes: ALL_GRANTS },
      { clients: failingClients(new Error('secret_table at /etc/passwd')) }
    )
    for (const [path, fields] of REQUESTS) {
      for (const headers of [{}, PAGE]) {
        const answer = await post(path, fields, headers)
        assert.equal(answer.status, 500, path)
        assert.deepEqual(answer.body, {
          error: 'server_error',
          error_description: 'The server failed to handle the request.',
        })
        assert.equal(answer.headers.get('cache-control'), 'no-store')
      }
    }
  })

  test('a database that is busy or away is temporarily_unavailable with Retry-After', async ({
    assert,
  }) => {
    await useConfig({ grantTypes: ALL_GRANTS }, { clients: failingClients(BUSY) })
    for (const [path, fields] of REQUESTS) {
      const answer = await post(path, fields)
      assert.equal(answer.status, 503, path)
      assert.equal(answer.body.error, 'temporarily_unavailable')
      assert.equal(answer.headers.get('retry-after'), '5')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    }
  })

  test('/oauth/authorize answers its failures likewise, and a browser with a page', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    await useConfig({}, { clients: failingClients(BUSY) })
    const path = '/oauth/authorize?response_type=code&client_id=x'
    const json = await read(await visitor.get(path))
    assert.deepEqual([json.status, json.body.error], [503, 'temporarily_unavailable'])

    const page = await visitor.get(path, { headers: PAGE })
    assert.equal(page.status, 503)
    assert.match(page.headers.get('content-type')!, /^text\/html/)
  })
})
