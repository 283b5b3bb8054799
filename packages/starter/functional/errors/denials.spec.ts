import { AuthorizationResponse, Bouncer } from '@adonisjs/bouncer'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

import User from '#models/user'
import { Visitor } from '#starter/helpers/visitor'

const mayEnter = Bouncer.ability((_user: User, status?: number) =>
  status ? AuthorizationResponse.deny('Not for you', status) : false
)
router.any('/_test/denied/:status?', ({ params }) =>
  new Bouncer(new User()).authorize(mayEnter, params.status && Number(params.status))
)

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.group('What a policy denies', () => {
  test('is JSON for {method} with Accept: {accept}')
    .with([
      { method: 'GET', accept: '*/*' },
      { method: 'POST', accept: '*/*' },
      { method: 'POST', accept: 'application/json' },
      { method: 'DELETE', accept: 'text/csv' },
    ])
    .run(async ({ assert }, { method, accept }) => {
      const response = await new Visitor().request(method, '/_test/denied', { headers: { accept } })
      assert.equal(response.status, 403)
      assert.deepEqual(await response.json(), { errors: [{ message: 'Access denied' }] })
    })

  test('is an errors document for who asks for one', async ({ assert }) => {
    const headers = { accept: 'application/vnd.api+json' }
    const response = await new Visitor().post('/_test/denied', { headers })
    assert.equal(response.status, 403)
    const { errors } = (await response.json()) as { errors: { title: string }[] }
    assert.equal(errors[0]!.title, 'Access denied')
  })

  test('is a page for a person who opens one', async ({ assert }) => {
    for (const [path, status] of [
      ['/_test/denied', 403],
      ['/_test/denied/404', 404],
    ] as const) {
      const response = await new Visitor().get(path, { headers: PAGE })
      assert.equal(response.status, status)
      assert.match(response.headers.get('content-type')!, /^text\/html/)
      assert.include(await response.text(), '<main')
    }
  })

  test('leads a person back to the form', async ({ assert }) => {
    const headers = { ...PAGE, referer: 'http://localhost/somewhere' }
    const response = await new Visitor().post('/_test/denied', { headers })
    assert.equal(response.status, 302)
  })
})
