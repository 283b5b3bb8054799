import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

import { middleware } from '#start/kernel'
import { runs } from '#starter/helpers/fixtures/json_api_routes'
import { judge } from '#starter/helpers/json_api_judge'
import { Visitor } from '#starter/helpers/visitor'

const READS = ['GET', 'HEAD', 'OPTIONS']
router.route('/_test/json_api/read', READS, () => ({ data: null })).use(middleware.jsonApi())

const MEDIA_TYPE = 'application/vnd.api+json'

test.group('A JSON:API route that reads', () => {
  test('has include and fields by any of its methods: {$self}')
    .with(READS)
    .run(async ({ assert }, method) => {
      const path = '/_test/json_api/read?include=singer&fields[singers]=name'
      const response = await new Visitor().request(method, path)
      assert.equal(response.status, 200)
    })
})

test.group('A JSON:API route that writes', () => {
  test('judges include and fields before its handler runs', async ({ client, assert }) => {
    const before = runs.count
    for (const [query, parameter] of [
      ['include=nothing', 'include'],
      ['include=singer.nothing', 'include'],
      ['include=singer,', 'include'],
      ['include=constructor', 'include'],
      ['include=__proto__', 'include'],
      ['fields=title', 'fields'],
      ['fields[songs][a]=title', 'fields'],
      ['sort=title', 'sort'],
      ['page[size]=1', 'page[size]'],
      ['filter[a]=1', 'filter[a]'],
    ] as const) {
      const response = await client
        .post(`/_test/json_api/named?${query}`)
        .json({})
        .header('Content-Type', MEDIA_TYPE)
      assert.equal(response.status(), 400, query)
      assert.deepEqual(judge(response.body()), [])
      assert.deepEqual(response.body().errors[0].source, { parameter })
    }
    assert.equal(runs.count, before)

    const fine = await client
      .post('/_test/json_api/named?include=singer&fields[singers]=name')
      .json({})
      .header('Content-Type', MEDIA_TYPE)
    fine.assertStatus(201)
    assert.deepEqual(fine.body().included[0].attributes, { name: 'Nina' })
    assert.equal(runs.count, before + 1)
  })

  test('has no include and no fields unless it says whose they are', async ({ client, assert }) => {
    const before = runs.count
    for (const [query, parameter] of [
      ['include=nothing', 'include'],
      ['include=singer', 'include'],
      ['include=', 'include'],
      ['fields[songs]=title', 'fields'],
    ] as const) {
      const response = await client
        .post(`/_test/json_api/strict/created?${query}`)
        .json({})
        .header('Content-Type', MEDIA_TYPE)
      assert.equal(response.status(), 400, query)
      assert.deepEqual(response.body().errors[0].source, { parameter })
    }
    assert.equal(runs.count, before)
  })
})

test.group('The include option of a route', () => {
  test('allows its paths and their intermediates, and no others', async ({ client, assert }) => {
    for (const [query, status] of [
      ['', 200],
      ['include=', 200],
      ['include=singer', 200],
      ['include=singer.songs', 200],
      ['include=singer.label', 400],
      ['include=singer.songs.singer', 400],
      ['include=sing', 400],
    ] as const) {
      const response = await client.get(`/_test/json_api/allowed?${query}`)
      assert.equal(response.status(), status, query)
      if (status === 400) {
        const [{ detail }] = response.body().errors
        assert.equal(detail, 'These relationship paths can be included here: singer.songs.')
      }
    }
  })

  test('that is empty allows none', async ({ client, assert }) => {
    assert.equal((await client.get('/_test/json_api/bare?include=')).status(), 200)
    const response = await client.get('/_test/json_api/bare?include=singer')
    response.assertStatus(400)
    assert.deepEqual(response.body().errors[0].source, { parameter: 'include' })
    assert.equal(response.body().errors[0].detail, 'Nothing can be included here.')
  })
})
