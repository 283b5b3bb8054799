import { Resolver } from 'node:dns/promises'
import { text as textOf } from 'node:stream/consumers'
import { mock } from 'node:test'
import { gzipSync } from 'node:zlib'

import { getActiveTest, test } from '@japa/runner'

import {
  DocumentFetcher,
  type DocumentFetcherOptions,
  DocumentNotFetched,
} from '#kit/http/document_fetcher'
import { isPublicAddress, resolvePublicly } from '#kit/http/public_address'
import { testFetcher } from '#starter/helpers/document_fetcher'
import { DocumentServer } from '#starter/helpers/document_server'

const EARLIER = 'Mon, 01 Jan 2024 00:00:00 GMT'

async function failure(url: string, options: Partial<DocumentFetcherOptions> = {}) {
  const error = await testFetcher(options)
    .fetch(new URL(url))
    .then(() => null)
    .catch((reason) => reason)
  getActiveTest()!.context.assert.instanceOf(error, DocumentNotFetched)
  return error.message as string
}

/** Sets a variable of the process until the test ends. */
function setEnv(name: string, value: string) {
  const original = process.env[name]
  process.env[name] = value
  getActiveTest()!.cleanup(() => {
    if (original === undefined) {
      delete process.env[name]
    } else {
      process.env[name] = original
    }
  })
}

test.group('Fetching a metadata document', (group) => {
  const site = new DocumentServer()
  group.setup(() => site.start())

  test('says who asks, gives the JSON, and asks for nothing else', async ({ assert }) => {
    const url = site.serve('/plain', '{"a":"ü"}', { 'content-type': 'application/json' })
    assert.deepEqual(await testFetcher().fetch(new URL(url)), { content: { a: 'ü' }, maxAge: 0 })
    const { headers, method } = site.requests.at(-1)!
    assert.equal(method, 'GET')
    assert.deepEqual(headers, {
      'user-agent': 'adonis-auth-kit',
      'accept': 'application/json',
      'accept-encoding': 'identity',
      'host': site.host,
      'connection': 'close',
    })
  })

  test('takes the content type {$self}')
    .with([
      'application/json; charset=utf-8',
      'application/client-metadata+json',
      'application/vnd.example.client+json;charset="UTF-8"',
    ])
    .run(async ({ assert }, type) => {
      const url = site.serve('/typed', '[]', { 'content-type': type })
      assert.deepEqual((await testFetcher().fetch(new URL(url))).content, [])
    })

  test('refuses the content type {$self}')
    .with(['text/html', 'text/plain', 'application/jsonp', 'application/json; charset=utf-16', ''])
    .run(async ({ assert }, type) => {
      const url = site.serve('/typed', '{}', { 'content-type': type })
      assert.equal(await failure(url), 'the content type is not JSON')
    })

  test('refuses status {$self}')
    .with([201, 203, 204, 206, 301, 302, 303, 307, 308, 304, 401, 404, 500])
    .run(async ({ assert }, status) => {
      const target = site.serveClient('/target')
      const before = site.requests.length
      const url = site.serve('/status', '', { location: target }, status)
      assert.equal(await failure(url), `the status is ${status}`)
      assert.lengthOf(site.requests, before + 1, 'nothing was followed')
    })

  test('refuses a content encoding', async ({ assert }) => {
    const url = site.serve('/gzip', gzipSync('{}'), { 'content-encoding': 'gzip' })
    assert.equal(await failure(url), 'the document has a content encoding')
  })

  test('refuses what is not JSON: {$self}')
    .with(['', '<html>', '{', '{"a":1}x', '\ufeff'])
    .run(async ({ assert }, body) => {
      assert.equal(await failure(site.serve('/broken', body)), 'the document is not JSON')
    })

  test('refuses what is not UTF-8', async ({ assert }) => {
    const url = site.serve('/latin1', Buffer.from('"\xfc"', 'latin1'))
    assert.equal(await failure(url), 'the document is not JSON')
  })

  test('reads so many bytes and no more', async ({ assert }) => {
    const content = 'x'.repeat(5118)
    const fits = site.serve('/fits', JSON.stringify(content))
    assert.equal((await testFetcher().fetch(new URL(fits))).content, content)
    const tooLong = site.serve('/long', JSON.stringify(`${content}x`))
    assert.equal(await failure(tooLong), 'the document is too long')
  })

  test('hangs up on a document of 2 MB, whatever its length is said to be', async ({ assert }) => {
    let closed!: Promise<number>
    const url = site.handle('/huge', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      let sent = 0
      const more = () => {
        while (sent < 2_000_000 && response.write('x'.repeat(1000))) {
          sent += 1000
        }
      }
      closed = new Promise((resolve) => response.on('close', () => resolve(sent)))
      response.on('drain', more)
      more()
    })
    assert.equal(await failure(url), 'the document is too long')
    assert.isBelow(await closed, 2_000_000)
  })

  test('hangs up on an answer that it does not read', async ({ assert }) => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const url = site.handle('/endless', (_request, response) => {
      response.on('close', resolve)
      response.writeHead(404).write('x')
    })
    assert.equal(await failure(url, { timeout: 600 }), 'the status is 404')
    await closed
  })

  test('gives up when {$self} takes too long')
    .with(['the look-up', 'the status', 'the body'])
    .run(async ({ assert }, what) => {
      const url = site.handle('/slow', (_request, response) => {
        if (what === 'the body') {
          response.writeHead(200, { 'content-type': 'application/json' }).write('{')
        }
      })
      const resolve =
        what === 'the look-up' ? () => new Promise<string[]>(() => {}) : async () => ['127.0.0.1']
      assert.equal(await failure(url, { timeout: 0.1, resolve }), 'it took too long')
    })

  test('a host that answers a byte at a time gets no more time', async ({ assert }) => {
    const url = site.handle('/drops', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    })
    assert.equal(await failure(url, { timeout: 0.2 }), 'it took too long')
  })

  test('does not trust a certificate of an authority that nobody knows', async ({ assert }) => {
    const url = site.serveClient('/tls')
    assert.equal(await failure(url, { ca: undefined }), 'the connection failed')
  })

  test('the certificate has to be that of the host', async ({ assert }) => {
    const url = site.serveClient('/tls').replace('clients.test', 'others.test')
    assert.equal(await failure(url), 'the connection failed')
  })

  test('connects to no address that is not public: {$self}')
    .with([
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '168.63.129.16',
      '::1',
      '::ffff:127.0.0.1',
      'fd00::1',
      'fd00:ec2::254',
    ])
    .run(async ({ assert }, address) => {
      const url = site.serveClient('/private')
      const before = site.requests.length
      const options = { isAllowed: isPublicAddress, resolve: async () => [address] }
      assert.equal(await failure(url, options), 'an address of the host is not public')
      assert.lengthOf(site.requests, before)
    })

  test('one private address among public ones is enough to refuse the host', async ({ assert }) => {
    const options = {
      isAllowed: isPublicAddress,
      resolve: async () => ['1.1.1.1', '2606:4700:4700::1111', '127.0.0.1'],
    }
    const url = site.serveClient('/mixed')
    assert.equal(await failure(url, options), 'an address of the host is not public')
  })

  test('asks nobody about a name that is no public one: {$self}')
    .with([
      'localhost',
      'printer.local',
      'metadata.google.internal',
      'METADATA.google.internal.',
      'metadata.azure.internal',
      'instance-data.ec2.internal',
      'instance-data',
      'metadata.goog',
      'metadata.tencentyun.com',
      'router.home.arpa',
    ])
    .run(async ({ assert }, name) => {
      let isAsked = false
      const resolve = async () => {
        isAsked = true
        return ['1.1.1.1']
      }
      const url = `https://${name}/client.json`
      assert.equal(await failure(url, { resolve }), 'an address of the host is not public')
      assert.isFalse(isAsked)
    })

  test('refuses a host without an address', async ({ assert }) => {
    const url = site.serveClient('/none')
    assert.equal(await failure(url, { resolve: async () => [] }), 'the host has no address')
  })

  test('the name is looked up once, and the connection goes to what was judged', async ({
    assert,
  }) => {
    const url = site.serveClient('/rebinding')
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    const judged: string[] = []
    const fetcher = testFetcher({
      resolve: async () => answers.shift()!,
      isAllowed: (address) => {
        judged.push(address)
        return address === '127.0.0.1'
      },
    })
    const before = site.requests.length
    await fetcher.fetch(new URL(url))
    assert.lengthOf(site.requests, before + 1)
    assert.deepEqual(judged, ['127.0.0.1'])
    assert.lengthOf(answers, 1)
  })

  test('no proxy is used', async ({ assert }) => {
    for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY']) {
      setEnv(name, 'http://127.0.0.1:1')
    }
    setEnv('NODE_USE_ENV_PROXY', '1')
    const url = site.serveClient('/unproxied')
    assert.isObject((await testFetcher().fetch(new URL(url))).content)
  })

  test('a copy may be kept for {seconds} seconds by {name}')
    .with([
      { name: 'no header', headers: {}, seconds: 0 },
      { name: 'max-age', headers: { 'cache-control': 'max-age=600' }, seconds: 600 },
      { name: 'private', headers: { 'cache-control': 'private, max-age=600' }, seconds: 600 },
      { name: 'no-store', headers: { 'cache-control': 'no-store, max-age=600' }, seconds: 0 },
      { name: 'no-cache', headers: { 'cache-control': 'no-cache' }, seconds: 0 },
      { name: 'age', headers: { 'cache-control': 'max-age=600', 'age': '100' }, seconds: 500 },
      { name: 'nonsense', headers: { 'cache-control': 'max-age=nonsense' }, seconds: 0 },
      { name: 'last-modified', headers: { 'last-modified': EARLIER }, seconds: 0 },
    ])
    .run(async ({ assert }, { headers, seconds }) => {
      const url = site.serveClient('/cached', {}, headers as Record<string, string>)
      assert.closeTo((await testFetcher().fetch(new URL(url))).maxAge, seconds, 1)
    })

  test('the shipped fetcher asks the name servers, and connects to no private address', async ({
    assert,
  }) => {
    answerNames({ resolve4: ['10.0.0.1'] })
    const fetching = new DocumentFetcher({ maxBytes: 5120 }).fetch(new URL(site.url('/client')))
    await assert.rejects(() => fetching, 'an address of the host is not public')
  })
})

/** Lets the name servers answer for one test; they know nothing of a kind that is not given. */
function answerNames(answers: { resolve4?: string[]; resolve6?: string[] }) {
  for (const kind of ['resolve4', 'resolve6'] as const) {
    const ask = async () => answers[kind] ?? Promise.reject(new Error('ENODATA'))
    const { mock: mocked } = mock.method(Resolver.prototype, kind, ask as never)
    getActiveTest()!.cleanup(() => mocked.restore())
  }
  const cancel = mock.method(Resolver.prototype, 'cancel', () => {})
  getActiveTest()!.cleanup(() => cancel.mock.restore())
  return cancel.mock
}

test.group('Looking up a host', () => {
  const IPV4 = '93.184.216.34'
  const IPV6 = '2606:2800::1'
  const { signal } = new AbortController()

  test('its addresses are those of both kinds, as far as there are any', async ({ assert }) => {
    answerNames({ resolve4: [IPV4], resolve6: [IPV6] })
    assert.deepEqual(await resolvePublicly('clients.test', signal), [IPV4, IPV6])
    answerNames({ resolve6: [IPV6] })
    assert.deepEqual(await resolvePublicly('clients.test', signal), [IPV6])
    answerNames({})
    assert.deepEqual(await resolvePublicly('clients.test', signal), [])
  })

  test('is cancelled when it is aborted, and not after its end', async ({ assert }) => {
    const cancelled = answerNames({ resolve4: [IPV4] })
    const early = new AbortController()
    const found = resolvePublicly('clients.test', early.signal)
    early.abort()
    await found
    assert.equal(cancelled.callCount(), 1)
    const late = new AbortController()
    await resolvePublicly('clients.test', late.signal)
    late.abort()
    assert.equal(cancelled.callCount(), 1)
  })
})

test.group('Asking under the guards of a metadata document', (group) => {
  const site = new DocumentServer()
  let bodies: string[]

  group.setup(() => site.start())
  group.each.setup(() => {
    bodies = []
  })

  /** An address that keeps the body of a request, and answers with a status. */
  const answering = (status: number, headers: Record<string, string> = {}, answer?: string) =>
    new URL(
      site.handle('/asked', (request, response) => {
        void textOf(request).then((body) => {
          bodies.push(body)
          response.writeHead(status, headers).end(answer)
        })
      })
    )

  test('a request of a library is sent as it says, and answered whatever the status', async ({
    assert,
  }) => {
    const url = answering(400, { 'content-type': 'application/json' }, '{"error":"x"}')
    const init = {
      method: 'POST',
      headers: { 'Accept': 'text/plain', 'Accept-Encoding': 'gzip' },
      body: new URLSearchParams({ name: 'value' }),
    }
    const answer = await testFetcher().request(url, init, 100)
    assert.equal(answer.status, 400)
    assert.equal(answer.headers.get('content-type'), 'application/json')
    assert.deepEqual(await answer.json(), { error: 'x' })
    const { method, headers } = site.requests.at(-1)!
    assert.equal(method, 'POST')
    assert.include(headers, { 'accept': 'text/plain', 'accept-encoding': 'identity' })
    assert.deepEqual(bodies, ['name=value'])
  })

  test('it may have no body, and so may the answer, which is no longer than allowed', async ({
    assert,
  }) => {
    for (const body of [undefined, null]) {
      const answer = await testFetcher().request(answering(204), { headers: {}, body }, 100)
      assert.equal(answer.status, 204)
      assert.isNull(answer.headers.get('content-type'))
      assert.equal(await answer.text(), '')
    }
    assert.deepEqual(bodies, ['', ''])
    const long = answering(200, {}, 'x'.repeat(101))
    await assert.rejects(
      () => testFetcher().request(long, { headers: {} }, 100),
      'the document is too long'
    )
  })

  test('a form is posted, and taken where the status is 200 or 204', async ({ assert }) => {
    const fields = { logout_token: 'ü&=' }
    for (const status of [200, 204]) {
      await testFetcher().post(answering(status), fields)
    }
    for (const status of [201, 302, 400, 500]) {
      const posting = () => testFetcher().post(answering(status), fields)
      await assert.rejects(posting, `the status is ${status}`)
    }
    const { method, headers } = site.requests.at(-1)!
    assert.equal(method, 'POST')
    assert.include(headers, {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '25',
    })
    assert.deepEqual(new Set(bodies), new Set(['logout_token=%C3%BC%26%3D']))
  })
})
