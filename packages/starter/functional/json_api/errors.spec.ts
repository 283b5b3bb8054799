import { Exception } from '@adonisjs/core/exceptions'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { renderErrors } from '#kit/json_api/errors'
import '#starter/helpers/fixtures/json_api_routes'
import { judge } from '#starter/helpers/json_api_judge'

const STRICT = '/_test/json_api/strict'
const PLAIN = '/_test/json_api/plain'
const MEDIA_TYPE = 'application/vnd.api+json'

test.group('Failures of a JSON:API route', () => {
  test('are errors documents, whatever the caller accepts', async ({ client, assert }) => {
    for (const accept of ['*/*', 'text/html', 'application/json', MEDIA_TYPE]) {
      const response = await client.get(`${STRICT}/status/404`).header('Accept', accept)
      response.assertStatus(404)
      assert.equal(response.header('content-type'), MEDIA_TYPE)
      assert.deepEqual(judge(response.body()), [])
      assert.deepInclude(response.body().errors[0], { status: '404', title: 'Not Found' })
    }
  })

  test('keep what happened inside to themselves', async ({ client, assert }) => {
    for (const [path, status] of [
      ['status/500', 500],
      ['status/503', 503],
      ['status/599', 599],
      ['status/600', 500],
      ['status/399', 500],
      ['status/200', 500],
      ['status/99', 500],
      ['status/404.5', 500],
      ['status/x', 500],
      ['thrown', 500],
    ]) {
      const response = await client.get(`${STRICT}/${path}`)
      response.assertStatus(Number(status))
      assert.deepEqual(judge(response.body()), [])
      assert.onlyProperties(response.body().errors[0], ['status', 'title'])
      assert.notInclude(response.text(), 'secret')
      assert.notInclude(response.text(), 'not even')
    }
  })

  test('of the caller say what and why, each under the words of its status', async ({
    client,
    assert,
  }) => {
    for (const [status, title] of [
      [400, 'Bad Request'],
      [422, 'Unprocessable Entity'],
      [499, 'Error'],
    ] as const) {
      const response = await client.get(`${STRICT}/status/${status}`)
      response.assertStatus(status)
      assert.include(response.header('vary')!, 'Accept')
      assert.deepEqual(response.body(), {
        errors: [
          {
            status: String(status),
            title,
            code: 'E_SECRET',
            detail: 'the password is secret',
          },
        ],
      })
    }
  })

  test('a validation error points at the value in the request document', async ({
    client,
    assert,
  }) => {
    const pointersFor = async (document: object) => {
      const response = await client
        .post(`${STRICT}/validated`)
        .json(document)
        .header('Content-Type', MEDIA_TYPE)
      response.assertStatus(422)
      assert.deepEqual(judge(response.body()), [])
      return response.body().errors.map((error: any) => [error.code, error.source.pointer])
    }

    assert.deepEqual(await pointersFor({ data: { attributes: { title: 'x' } } }), [
      ['minLength', '/data/attributes/title'],
    ])
    assert.deepEqual(
      await pointersFor({
        data: { attributes: { 'title': 7, 'a/b~c': 'x', 'tags': ['fine', 'x'] } },
      }),
      [
        ['string', '/data/attributes/title'],
        ['number', '/data/attributes/a~1b~0c'],
        ['minLength', '/data/attributes/tags/1'],
      ]
    )
  })

  test('a missing member points at the nearest value that is there', async ({ client, assert }) => {
    for (const [document, pointer] of [
      [{ data: { attributes: { other: 1 } } }, '/data/attributes'],
      [{ data: { type: 'songs' } }, '/data'],
      [{ data: null }, '/data'],
      [{ other: 1 }, ''],
    ] as const) {
      const response = await client
        .post(`${STRICT}/validated`)
        .json(document)
        .header('Content-Type', MEDIA_TYPE)
      response.assertStatus(422)
      assert.equal(response.body().errors[0].source.pointer, pointer)
    }
  })

  test('that come before the route has begun are errors documents too', async ({
    client,
    assert,
  }) => {
    for (const [body, status] of [
      ['{"data":', 400],
      ['"text"', 400],
      [`{"data":"${'x'.repeat(1_100_000)}"}`, 413],
    ] as const) {
      const response = await client
        .post(`${STRICT}/validated`)
        .header('Content-Type', MEDIA_TYPE)
        .setup((request) => {
          request.request.send(body)
        })
      assert.equal(response.status(), status)
      assert.equal(response.header('content-type'), MEDIA_TYPE)
      assert.deepEqual(judge(response.body()), [])
    }
  })

  test('about a body that is no JSON document are alike, however it is none', async ({
    client,
    assert,
  }) => {
    const answers = await Promise.all(
      ['{"data":', '"text"', '7', 'nonsense', '{"a":1}x'].map(async (body) => {
        const response = await client
          .post(`${STRICT}/validated`)
          .header('Content-Type', MEDIA_TYPE)
          .setup((request) => {
            request.request.send(body)
          })
        return [response.status(), response.body()]
      })
    )
    assert.deepEqual(answers[0], [
      400,
      {
        errors: [
          {
            status: '400',
            title: 'Bad Request',
            code: 'invalid_json',
            detail: 'The request body is not a JSON document.',
            source: { pointer: '' },
          },
        ],
      },
    ])
    for (const answer of answers) {
      assert.deepEqual(answer, answers[0])
    }
  })

  test('about JSON beyond a limit say which rule it breaks', async ({ client, assert }) => {
    const response = await client
      .post(`${STRICT}/validated`)
      .header('Content-Type', MEDIA_TYPE)
      .setup((request) => {
        request.request.send(`{"data":${'['.repeat(40)}${']'.repeat(40)}}`)
      })
    assert.equal(response.status(), 400)
    const detail = 'The request body has too many levels or elements.'
    assert.containsSubset(response.body(), { errors: [{ code: 'invalid_json', detail }] })
  })

  test('about broken JSON are the same with the body parser of AdonisJS', ({ assert }) => {
    const answerTo = (failure: Error) => {
      const ctx = new HttpContextFactory().create()
      renderErrors(failure, ctx)
      const { status, code } = (ctx.response.getBody() as any).errors[0]
      return `${status} ${code}`
    }
    const broken = new SyntaxError('Unexpected end of JSON input')
    const of = (message: string, status: number, code = 'E_X') =>
      new Exception(message, { status, code })
    assert.equal(answerTo(Object.assign(broken, { body: '{' })), '400 invalid_json')
    assert.equal(answerTo(of('Invalid JSON, only supports object', 422)), '400 invalid_json')
    assert.equal(answerTo(of('Broken', 400, 'E_MALFORMED_BODY')), '400 invalid_json')
    assert.match(answerTo(new SyntaxError('in a file')), /^500/)
    assert.equal(answerTo(of('Invalid JSON', 400)), '400 E_X')
    assert.equal(answerTo(of('Invalid', 422)), '422 E_X')
  })

  test('another method of the same path is 405 with Allow', async ({ client, assert }) => {
    const response = await client.delete(`${STRICT}/song`)
    response.assertStatus(405)
    assert.include(response.header('allow')!, 'GET')
    assert.deepEqual(judge(response.body()), [])
    assert.equal(response.body().errors[0].code, 'E_METHOD_NOT_ALLOWED')
  })

  test('a document that the handler made itself has the media type, and varies by Accept', async ({
    client,
    assert,
  }) => {
    const response = await client.get(`${STRICT}/document`)
    assert.equal(response.header('content-type'), MEDIA_TYPE)
    assert.include(response.header('vary')!, 'Accept')
    assert.equal(response.body().data.id, '1')
    const empty = await client.get(`${STRICT}/empty`)
    empty.assertStatus(204)
    assert.isUndefined(empty.header('content-type'))
  })
})

test.group('Failures of other routes', () => {
  test('are errors documents for callers who accept JSON:API', async ({ client, assert }) => {
    const failing = await client.get(`${PLAIN}/failing`).header('Accept', MEDIA_TYPE)
    failing.assertStatus(500)
    assert.deepEqual(judge(failing.body()), [])
    assert.notInclude(failing.text(), 'secret')

    const missing = await client.get('/_test/nowhere').header('Accept', MEDIA_TYPE)
    missing.assertStatus(404)
    assert.deepEqual(judge(missing.body()), [])

    const invalid = await client
      .post(`${PLAIN}/validated`)
      .header('Accept', MEDIA_TYPE)
      .json({ data: { attributes: { title: 'x' } } })
    invalid.assertStatus(422)
    assert.deepEqual(judge(invalid.body()), [])
    assert.equal(invalid.body().errors[0].source.pointer, '/data/attributes/title')
  })

  test('are what they were for everybody else', async ({ client, assert }) => {
    const response = await client.get(`${PLAIN}/failing`).header('Accept', 'application/json')
    response.assertStatus(500)
    assert.notProperty(response.body(), 'errors')
  })
})
