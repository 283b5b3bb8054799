import { test } from '@japa/runner'

import { songs } from '#starter/helpers/fixtures/json_api_routes'
import { judge } from '#starter/helpers/json_api_judge'

const PLAIN = '/_test/json_api/plain'
const MEDIA_TYPE = 'application/vnd.api+json'

test.group('A returned resource', () => {
  test('is a document of the JSON:API media type, from any route', async ({ client, assert }) => {
    for (const path of ['song', 'sent', 'songs', 'none', 'chained']) {
      const response = await client.get(`${PLAIN}/${path}`)
      response.assertStatus(200)
      assert.equal(response.header('content-type'), MEDIA_TYPE)
      assert.include(response.header('vary')!, 'Accept')
      assert.deepEqual(judge(response.body()), [])
    }
  })

  test('keeps the status that the handler set', async ({ client, assert }) => {
    const response = await client.post(`${PLAIN}/created`)
    response.assertStatus(201)
    assert.equal(response.header('content-type'), MEDIA_TYPE)
    assert.equal(response.body().data.id, '1')
  })

  test('is null for null, with status 200', async ({ client, assert }) => {
    const response = await client.get(`${PLAIN}/none`)
    response.assertStatus(200)
    assert.deepEqual(response.body(), { data: null })
  })

  test('reads include and fields[type] from the live request', async ({ client, assert }) => {
    const { body } = await client
      .get(`${PLAIN}/song`)
      .qs('include=singer&fields[songs]=title&fields[singers]=age')
      .then((response) => ({ body: response.body() }))
    assert.deepEqual(body, {
      data: {
        type: 'songs',
        id: '1',
        attributes: { title: 'One' },
        relationships: { singer: { data: { type: 'singers', id: '9' } } },
      },
      included: [{ type: 'singers', id: '9', attributes: { age: 70 } }],
    })
  })

  test('is the same document for every spelling of the parameters', async ({ client, assert }) => {
    const spellings = [
      'include=singer&fields[songs]=title,length',
      'include=singer&fields%5Bsongs%5D=title%2Clength',
      'include=singer,singer&fields[songs]=length,title',
      'include%3D=&include=singer&fields[songs]=title&fields[songs]=length',
      'include[]=singer&fields[songs][]=title&fields[songs][]=length',
    ]
    const documents = await Promise.all(
      spellings.map(async (query) => {
        const response = await client.get(`${PLAIN}/song?${query}`)
        return response.body()
      })
    )
    for (const document of documents) {
      assert.deepEqual(document, documents[0])
    }
    assert.lengthOf(documents[0].included, 1)
  })

  test('is the same document as chain calls make', async ({ client, assert }) => {
    const { SongResource } = await import('#starter/helpers/fixtures/json_api_routes')
    const response = await client.get(
      `${PLAIN}/songs?include=singer&fields[songs]=title&fields[singers]=name`
    )
    const chained = await SongResource.collection(songs)
      .include('singer')
      .fields('title', 'singers.name')
      .serialize()
    assert.deepEqual(response.body(), JSON.parse(JSON.stringify(chained)))
  })

  test('ignores the request once a chain call was made', async ({ client, assert }) => {
    const response = await client.get(`${PLAIN}/chained?include=singer&fields[songs]=length`)
    assert.deepEqual(response.body(), {
      data: { type: 'songs', id: '1', attributes: { title: 'One' } },
    })
  })

  test('has included when include is given, even empty', async ({ client, assert }) => {
    for (const query of ['include=', 'include', 'include=singer']) {
      const response = await client.get(`${PLAIN}/none?${query}`)
      assert.deepEqual(response.body(), { data: null, included: [] })
    }
    const without = await client.get(`${PLAIN}/none?fields[songs]=title`)
    assert.deepEqual(without.body(), { data: null })
  })

  test('shows no attributes for an empty fieldset', async ({ client, assert }) => {
    const response = await client.get(`${PLAIN}/song?fields[songs]=`)
    assert.deepEqual(response.body().data.attributes, {})
  })

  test('a fieldset of a type that is not there changes nothing', async ({ client, assert }) => {
    const response = await client.get(
      `${PLAIN}/song?fields[constructor]=a&fields[__proto__]=a&fields[nothing]=a`
    )
    assert.deepEqual(response.body().data.attributes, { title: 'One', length: 3 })
  })

  test('hostile and unknown includes are 400 with source.parameter, and quick', async ({
    client,
    assert,
  }) => {
    const queries = [
      'include=nothing',
      'include=title',
      'include=singer.nothing',
      'include=constructor',
      'include=__proto__',
      'include=singer.constructor.prototype',
      'include=hasOwnProperty',
      `include=${Array(200).fill('singer').join('.')}`,
      `include=${','.repeat(10_000)}`,
      `include=${'singer,'.repeat(1_500)}singer`,
      'include=singer,',
      'include=,singer',
      'include=singer%2C%2Csinger',
      'include[a]=singer',
      'include[__proto__]=singer&include=.',
    ]
    for (const query of queries) {
      const response = await client.get(`${PLAIN}/songs?${query}`)
      assert.equal(response.status(), 400, query.slice(0, 60))
      assert.equal(response.header('content-type'), MEDIA_TYPE)
      assert.deepEqual(judge(response.body()), [])
      assert.deepEqual(response.body().errors[0].source, { parameter: 'include' })
      assert.equal(response.body().errors[0].status, '400')
    }
  })

  test('fields without a type, and what is no list, are 400 with source.parameter', async ({
    client,
    assert,
  }) => {
    for (const query of ['fields=title', 'fields[]=title', 'fields[songs][a]=title']) {
      const response = await client.get(`${PLAIN}/song?${query}`)
      assert.equal(response.status(), 400, query)
      assert.deepEqual(response.body().errors[0].source, { parameter: 'fields' })
    }
  })

  test('routes that return anything else are left alone', async ({ client, assert }) => {
    const response = await client.get(`${PLAIN}/json?include=nothing`)
    response.assertStatus(200)
    assert.include(response.header('content-type')!, 'application/json')
    assert.deepEqual(response.body(), { plain: true })
  })
})
