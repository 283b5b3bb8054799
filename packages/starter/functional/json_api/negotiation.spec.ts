import { test } from '@japa/runner'

import { runs } from '#starter/helpers/fixtures/json_api_routes'
import { judge } from '#starter/helpers/json_api_judge'
import { sendRaw } from '#starter/helpers/raw_socket'

const ROUTES = ['/_test/json_api/plain/song', '/_test/json_api/strict/song']
const MEDIA_TYPE = 'application/vnd.api+json'

test.group('Content negotiation | Accept', () => {
  test('is fine without parameters, with profiles, with weights, and for wildcards', async ({
    client,
    assert,
  }) => {
    for (const accept of [
      MEDIA_TYPE,
      'Application/VND.api+JSON',
      `${MEDIA_TYPE}; profile="https://example.com/a https://example.com/b"`,
      `${MEDIA_TYPE};q=0.5`,
      `${MEDIA_TYPE}; charset=utf-8, ${MEDIA_TYPE}`,
      `${MEDIA_TYPE}; charset=utf-8, ${MEDIA_TYPE};profile="https://example.com/a,b;c";q=0.1`,
      `${MEDIA_TYPE}; ext=""`,
      `${MEDIA_TYPE};`,
      `${MEDIA_TYPE} ; ; q=0.5 ;`,
      `, ,${MEDIA_TYPE},,text/html,`,
      `${MEDIA_TYPE}-seq; charset=utf-8`,
      `x${MEDIA_TYPE}; charset=utf-8`,
      `text/html; title="${MEDIA_TYPE}; charset=utf-8, ${MEDIA_TYPE};a=b"`,
      `text/html, ${MEDIA_TYPE}`,
      '*/*',
      'application/json',
      'text/html',
    ]) {
      for (const route of ROUTES) {
        const response = await client.get(route).header('Accept', accept)
        assert.equal(response.status(), 200, accept)
        assert.equal(response.header('content-type'), MEDIA_TYPE)
      }
    }
  })

  test('is 406 when every JSON:API range has another parameter or an extension', async ({
    client,
    assert,
  }) => {
    for (const accept of [
      `${MEDIA_TYPE}; charset=utf-8`,
      `${MEDIA_TYPE};version=1`,
      `${MEDIA_TYPE}; ext="https://jsonapi.org/ext/atomic"`,
      `${MEDIA_TYPE}; ext=https://jsonapi.org/ext/atomic`,
      `${MEDIA_TYPE}; EXT="https://jsonapi.org/ext/atomic"; profile="https://example.com/a"`,
      `${MEDIA_TYPE}; charset=utf-8, ${MEDIA_TYPE}; ext="https://example.com/ext"`,
      `${MEDIA_TYPE}; charset=utf-8, */*`,
      `${MEDIA_TYPE};q=0`,
    ]) {
      for (const route of ROUTES) {
        const response = await client.get(route).header('Accept', accept)
        assert.equal(response.status(), 406, accept)
        assert.equal(response.header('content-type'), MEDIA_TYPE)
        assert.deepEqual(judge(response.body()), [])
        assert.deepEqual(response.body().errors[0], {
          status: '406',
          title: 'Not Acceptable',
          detail: 'The only representation is application/vnd.api+json without extensions.',
          source: { header: 'Accept' },
        })
      }
    }
  })

  test('answers before the handler of a JSON:API route runs', async ({ client, assert }) => {
    const before = runs.count
    const response = await client
      .post('/_test/json_api/strict/created')
      .json({})
      .header('Content-Type', MEDIA_TYPE)
      .header('Accept', `${MEDIA_TYPE}; charset=utf-8`)
    response.assertStatus(406)
    assert.equal(runs.count, before)
  })

  test('of routes that do not answer with JSON:API is not judged', async ({ client, assert }) => {
    for (const path of ['/', '/user/7', '/_test/json_api/plain/json']) {
      const response = await client.get(path).header('Accept', `${MEDIA_TYPE}; charset=utf-8`)
      assert.equal(response.status(), 200, path)
    }
  })

  test('is quick for a header that is made to be slow', async ({ client, assert }) => {
    for (const accept of [
      `${MEDIA_TYPE}${';a=b'.repeat(2000)}"`,
      `${MEDIA_TYPE}${' '.repeat(8000)}x`,
      `${MEDIA_TYPE};a="${'\\"'.repeat(3500)}`,
    ]) {
      const response = await client.get(ROUTES[0]!).header('Accept', accept)
      assert.equal(response.status(), 406)
    }
  })
})

test.group('Content negotiation | Content-Type', () => {
  const song = { data: { type: 'songs', attributes: { title: 'Hello' } } }

  test('is fine without parameters, with profiles, and as plain JSON', async ({
    client,
    assert,
  }) => {
    for (const type of [
      MEDIA_TYPE,
      `${MEDIA_TYPE}; profile="https://example.com/a"`,
      'application/json',
      'application/json; charset=utf-8',
      `${MEDIA_TYPE};`,
    ]) {
      const response = await client
        .post('/_test/json_api/strict/validated')
        .json(song)
        .header('Content-Type', type)
      assert.equal(response.status(), 200, type)
    }
  })

  test('is 415 with another parameter or an extension, on a route that speaks JSON:API', async ({
    client,
    assert,
  }) => {
    for (const type of [
      `${MEDIA_TYPE}; charset=utf-8`,
      `${MEDIA_TYPE};version=1`,
      `${MEDIA_TYPE}; ext="https://jsonapi.org/ext/atomic"`,
      `${MEDIA_TYPE}; profile="https://example.com/a"; ext="https://example.com/ext"`,
    ]) {
      const response = await client
        .post('/_test/json_api/strict/validated')
        .json(song)
        .header('Content-Type', type)
      assert.equal(response.status(), 415, type)
      assert.equal(response.header('content-type'), MEDIA_TYPE)
      assert.deepEqual(judge(response.body()), [])
      assert.deepEqual(response.body().errors[0], {
        status: '415',
        title: 'Unsupported Media Type',
        detail: 'The request document has to be application/vnd.api+json without extensions.',
        source: { header: 'Content-Type' },
      })
    }
  })

  test('is 415 for a body that is no JSON, on a route that speaks JSON:API', async ({
    client,
    assert,
  }) => {
    for (const type of [
      'text/plain',
      'text/json',
      'application/vnd.api+json-seq',
      'application/vnd.api+json, text/plain',
      'application/json, text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=b',
      'multipart/form-data',
    ]) {
      const response = await client.post('/_test/json_api/strict/validated').setup((request) => {
        request.request.type(type).send(JSON.stringify(song))
      })
      assert.equal(response.status(), 415, type)
      assert.deepEqual(judge(response.body()), [])
    }
  })

  test('is not asked of a request that says that it has no body', async ({ assert }) => {
    const answer = await sendRaw([
      `GET ${ROUTES[1]} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n`,
    ])
    assert.match(answer, /^HTTP\/1.1 200 /)
  })
})

test.group('Query parameters of a JSON:API route', () => {
  test('a name of small letters that the endpoint does not understand is 400', async ({
    client,
    assert,
  }) => {
    for (const [query, parameter] of [
      ['sort=title', 'sort'],
      ['page=2', 'page'],
      ['page[number]=2', 'page[number]'],
      ['filter[title]=One', 'filter[title]'],
      ['foo=bar', 'foo'],
      ['_=1', '_'],
      ['=1', ''],
      ['a.b=1', 'a.b'],
      [`${'x'.repeat(101)}=1`, 'x'.repeat(100)],
    ]) {
      const response = await client.get(`${ROUTES[1]}?${query}`)
      assert.equal(response.status(), 400, query)
      assert.deepEqual(judge(response.body()), [])
      assert.deepEqual(response.body().errors[0].source, { parameter })
    }
  })

  test('a name that JSON:API leaves to implementations is ignored', async ({ client, assert }) => {
    for (const query of ['camelCase=1', 'utm_source=x', 'a-b=1', 'Filter[x]=1', 'v2=1']) {
      const response = await client.get(`${ROUTES[1]}?${query}`)
      assert.equal(response.status(), 200, query)
    }
  })

  test('other routes take what they like', async ({ client }) => {
    const response = await client.get(`${ROUTES[0]}?foo=bar&page=2`)
    response.assertStatus(200)
  })
})
