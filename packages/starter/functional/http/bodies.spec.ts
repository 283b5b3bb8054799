import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { getActiveTest, test } from '@japa/runner'

import { BodyReader } from '#kit/http/body/body_reader'
import { rawForm, smallBody } from '#kit/http/route_marks'
import { middleware } from '#start/kernel'
import '#starter/helpers/fixtures/json_api_routes'
import { rawPost, sendRaw } from '#starter/helpers/raw_socket'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM = 'application/x-www-form-urlencoded'

router.post('/_test/http/echo', ({ request }) => ({
  body: request.body(),
  all: request.all(),
  raw: request.raw(),
  original: request.original(),
  type: request.bodyType,
  files: Object.keys(request.allFiles()),
}))

router.post('/_test/http/small', ({ request }) => request.body()).use(smallBody)

router.post('/_test/http/raw_form', ({ request }) => [request.raw(), request.all()]).use(rawForm)

router
  .post('/_test/http/files', async ({ request }) => {
    const file = request.file('file', { size: '1kb', extnames: ['txt', 'png'] })
    return {
      file: file && { ...file.toJSON(), content: await readFile(file.tmpPath!, 'utf8') },
      mode: file && (await stat(file.tmpPath!)).mode & 0o777,
      names: request.files('list').map(({ clientName }) => clientName),
      body: Object.keys(request.body()),
      title: request.input('title'),
      constructed: request.file('constructor'),
    }
  })
  .use(middleware.files({ limit: '100kb', maxFiles: 3 }))

router
  .post('/_test/http/files/fail', () => {
    throw new Error('boom')
  })
  .use(middleware.files())

router
  .post('/_test/http/files/mine', ({ request }) => ({ name: request.file('file')?.clientName }))
  .use([middleware.auth({ guards: ['web'] }), middleware.files()])

/** Files of the test go to a folder of their own, which says which were made. */
async function uploadFolder() {
  const { config } = await app.container.make(BodyReader)
  const folder = await mkdtemp(join(tmpdir(), 'uploads-'))
  let made = 0
  config.multipart.tmpFileName = () => join(folder, String(++made))
  getActiveTest()!.cleanup(async () => {
    config.multipart.tmpFileName = undefined
    await rm(folder, { recursive: true })
  })
  return {
    made: () => made,
    /** Files are deleted after the response, which is a moment later. */
    async isEmpty() {
      for (let attempt = 0; attempt < 1500; attempt++) {
        if ((await readdir(folder)).length === 0) {
          return true
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      return false
    },
  }
}

function form(fields: Record<string, string | File | (string | File)[]>) {
  const data = new FormData()
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) {
      data.append(name, value as string)
    }
  }
  return data
}

const file = (name: string, content = 'content', type = 'text/plain') =>
  new File([content], name, { type })

async function echo(body: string | FormData, headers: Record<string, string> = {}) {
  const response = await new Visitor().post('/_test/http/echo', { body, headers })
  return { status: response.status, ...((await response.json()) as any) }
}

async function isAlive() {
  return (await new Visitor().get('/user/7')).status === 200
}

test.group('Bodies | values', () => {
  test('JSON keeps its types; an empty text is null, and the raw text stays', async ({
    assert,
  }) => {
    const text = '{"a":"","b":[1,""],"c":{"d":" x "},"e":true}'
    const answer = await echo(text, JSON_TYPE)
    assert.deepEqual(answer.body, { a: null, b: [1, null], c: { d: ' x ' }, e: true })
    assert.deepEqual(answer.original, answer.body)
    assert.equal(answer.raw, text)
    assert.equal(answer.type, 'json')
  })

  test('a form has lists and objects by brackets and dots, as in every AdonisJS application', async ({
    assert,
  }) => {
    const text = 'a=&b[]=1&b[]=2&c[d]=x+y&e.f=%C3%A9'
    const answer = await echo(text, { 'content-type': FORM })
    assert.deepEqual(answer.body, { a: null, b: ['1', '2'], c: { d: 'x y' }, e: { f: 'é' } })
    assert.equal(answer.raw, text)
    assert.equal(answer.type, 'urlencoded')
  })

  test('a multipart form has the same fields as a form', async ({ assert }) => {
    const answer = await echo(
      form({ 'a': '', 'b[]': ['1', '2'], 'c[d]': 'x y', 'e.f': 'é', 'g': ['1', '2'] })
    )
    assert.deepEqual(answer.body, {
      a: null,
      b: ['1', '2'],
      c: { d: 'x y' },
      e: { f: 'é' },
      g: ['1', '2'],
    })
    assert.equal(answer.type, 'multipart')
  })

  test('text/* is there raw, every other type is left alone', async ({ assert }) => {
    const text = await echo('some text', { 'content-type': 'text/plain' })
    assert.deepInclude(text, { raw: 'some text', body: {}, type: 'raw' })
    const other = await echo('<x/>', { 'content-type': 'application/xml' })
    assert.deepInclude(other, { raw: null, body: {}, type: 'unknown' })
  })

  test('an empty body is an empty object', async ({ assert }) => {
    assert.deepEqual((await echo('', JSON_TYPE)).body, {})
    assert.deepEqual((await echo('', { 'content-type': FORM })).body, {})
  })

  test('names of Object.prototype reach no prototype, whatever the type', async ({ assert }) => {
    const names = ['__proto__', 'constructor', 'toString', 'constructor.prototype', '__proto__[x]']
    const bodies: [string | FormData, Record<string, string>][] = [
      [`{${names.map((name) => `"${name}":{"x":{"polluted":1},"prototype":1}`)}}`, JSON_TYPE],
      [names.map((name) => `${name}[polluted]=1&${name}=1`).join('&'), { 'content-type': FORM }],
      [form(Object.fromEntries(names.map((name) => [name, '1']))), {}],
    ]
    for (const [body, headers] of bodies) {
      const answer = await echo(body, headers)
      assert.equal(answer.status, 200)
      assert.isUndefined(({} as any).polluted)
      assert.notInclude(Object.keys(answer.body), '__proto__')
    }
    assert.equal(Object.prototype.toString.call({}), '[object Object]')
  })

  test('a compressed body is read: {$self}')
    .with(['gzip', 'deflate', 'br', 'GZIP'] as const)
    .run(async ({ assert }, encoding) => {
      const compress = {
        gzip: gzipSync,
        GZIP: gzipSync,
        deflate: deflateSync,
        br: brotliCompressSync,
      }
      const response = await new Visitor().post('/_test/http/echo', {
        body: new Uint8Array(compress[encoding]('{"a":1}')),
        headers: { ...JSON_TYPE, 'content-encoding': encoding },
      })
      assert.deepInclude(await response.json(), { body: { a: 1 }, raw: '{"a":1}' })
    })
})

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

/** JSON that is refused before anything is made of it. */
const BROKEN_JSON = {
  'cut short': '{"a":',
  'a text': '"x"',
  'a number': '1',
  'deep': `{"a":${nested(1000)}}`,
  'very deep': nested(400_000),
  'deep objects': '{"a":'.repeat(1000) + '1' + '}'.repeat(1000),
  'wide': `[${Array.from({ length: 300_000 }, () => '[]').join()}]`,
  'of many names': `{${Array.from({ length: 60_000 }, (_, index) => `"${index}":1`).join()}}`,
  'with a lone surrogate': '{"email":"a\\ud800@example.com"}',
  'with a lone surrogate in a name': '{"a\\udc00":1}',
}

test.group('Bodies | broken JSON', (group) => {
  group.each.setup(() => testUtils.db().truncate())

  for (const [title, body] of Object.entries(BROKEN_JSON)) {
    test(`JSON ${title} is 422 for programs, sends a person back, and says nothing of the engine`, async ({
      assert,
    }) => {
      const json = await new Visitor().post('/register', { body, headers: JSON_TYPE })
      assert.equal(json.status, 422)
      const { errors } = (await json.json()) as any
      assert.lengthOf(errors, 1)
      assert.match(errors[0].message, /^The request body /)
      assert.notMatch(errors[0].message, /position|token|stack/i)

      const page = await new Visitor().post('/register', {
        body,
        headers: { ...JSON_TYPE, ...PAGE },
      })
      assert.equal(page.status, 302)
    })

    test(`JSON ${title} is 400 for JSON:API`, async ({ assert }) => {
      const document = await new Visitor().post('/_test/json_api/strict/validated', {
        body,
        headers: { 'content-type': 'application/vnd.api+json' },
      })
      assert.equal(document.status, 400)
      assert.match(document.headers.get('content-type')!, /^application\/vnd\.api\+json/)
    })

    test(`JSON ${title} is 400 for OAuth`, async ({ assert }) => {
      const oauth = await new Visitor().post('/oauth/authorize', { body, headers: JSON_TYPE })
      assert.equal(oauth.status, 400)
      assert.equal(((await oauth.json()) as any).error, 'invalid_request')
    })
  }

  test('a string may hold as many brackets, commas and quotes as it likes', async ({ assert }) => {
    const long = '[{,:"\\'.repeat(10_000)
    for (const values of [[long], ['', long], ['"', long]]) {
      const answer = await echo(JSON.stringify({ values }), JSON_TYPE)
      assert.equal(answer.body.values.at(-1), long)
    }
  })

  test('bytes that are not UTF-8 are 422', async ({ assert }) => {
    const answer = await sendRaw(
      rawPost('/_test/http/echo', { 'Content-Type': 'application/json' }, Buffer.of(123, 255, 125))
    )
    assert.match(answer, /^HTTP\/1.1 422/)
  })
})

const PART = 'Content-Disposition: form-data; name='
const OCTETS = 'Content-Type: application/octet-stream\r\n'
const part = (name: string, rest = '', content = 'x') =>
  `--b\r\n${PART}${name}${rest}\r\n\r\n${content}\r\n`

/** Multipart bodies that no browser sends, none of which may end or hang the process. */
const BROKEN_MULTIPART: Record<string, string> = {
  'nothing': '',
  'only the end': '--b--',
  'only the end, with line breaks': '--b--\r\n',
  'no boundary in the body': 'x'.repeat(100_000),
  'cut in the boundary': '--',
  'cut after the boundary': '--b',
  'cut in a header': `--b\r\n${PART}`,
  'cut after the headers': `--b\r\n${PART}"a"\r\n\r\n`,
  'cut in a field': `--b\r\n${PART}"a"\r\n\r\nvalue`,
  'cut in a file': `--b\r\n${PART}"a"; filename="x"\r\n${OCTETS}\r\nvalue`,
  'cut in a file without a name': `--b\r\n${PART}"a"; filename=""\r\n${OCTETS}\r\nvalue`,
  'cut in a file without a field': `--b\r\n${PART}""; filename="x"\r\n${OCTETS}\r\nvalue`,
  'cut in a part without a disposition': `--b\r\n${OCTETS}\r\nvalue`,
  'cut after a good field': `${part('"a"')}--b\r\n${PART}"c"; filename=""\r\n\r\nvalue`,
  'no headers': '--b\r\n\r\nvalue\r\n--b--',
  'no name': `--b\r\nContent-Disposition: form-data\r\n\r\nvalue\r\n--b--`,
  'another disposition': `--b\r\nContent-Disposition: attachment; name="a"\r\n\r\nx\r\n--b--`,
  'an empty name': `${part('""')}--b--`,
  'a broken header': `--b\r\n: : :\r\n\r\nx\r\n--b--`,
  'an endless header': `--b\r\nX: ${'x'.repeat(200_000)}\r\n\r\nx\r\n--b--`,
  'many headers': `--b\r\n${'X: y\r\n'.repeat(5000)}\r\nx\r\n--b--`,
  'many fields': `${part('"a"').repeat(3000)}--b--`,
  'many empty files': `${part('"a"', '; filename=""', '').repeat(3000)}--b--`,
  'many parts without a name': `${'--b\r\nX: y\r\n\r\nx\r\n'.repeat(3000)}--b--`,
  'a field of two megabytes': `${part('"a"', '', 'x'.repeat(2_200_000))}--b--`,
  'a name of a megabyte': `${part(`"${'x'.repeat(1_000_000)}"`)}--b--`,
  'a far index': `${part('"a[4294967290]"')}${part('"a[1e9]"')}--b--`,
  'deep brackets': `${part(`"a${'[b]'.repeat(5000)}"`)}--b--`,
  'a lone quote': `${part('"a')}--b--`,
  'an unknown charset': `--b\r\n${PART}"a"\r\nContent-Type: text/plain; charset=nothing\r\n\r\nx\r\n--b--`,
  'an odd transfer encoding': `--b\r\n${PART}"a"\r\nContent-Transfer-Encoding: base64\r\n\r\n%%\r\n--b--`,
  'a NUL': `${part('"a"', '', 'x\0')}--b--`,
  'a nested multipart': `--b\r\n${PART}"a"\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\n--b--`,
  'more after the end': `${part('"a"')}--b--\r\n${'x'.repeat(100_000)}`,
  ...Object.fromEntries(
    [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'prototype',
      'a.__proto__.b',
    ].flatMap((name) => [
      [`a field named ${name}`, `${part(`"${name}"`)}--b--`],
      [`a file named ${name}`, `${part(`"${name}"`, '; filename="x"')}--b--`],
      [`a file named ${name}, cut`, `--b\r\n${PART}"${name}"; filename="x"\r\n\r\nvalue`],
    ])
  ),
}

test.group('Bodies | broken multipart', () => {
  for (const path of ['/user', '/oauth/token', '/_test/http/files', '/_test/http/files/mine']) {
    test(`{name} neither ends nor hangs the process: POST ${path}`)
      .with(Object.entries(BROKEN_MULTIPART).map(([name, body]) => ({ name, body })))
      .run(async ({ assert }, { body }) => {
        const folder = await uploadFolder()
        const type = { 'Content-Type': 'multipart/form-data; boundary=b' }
        assert.match(await sendRaw(rawPost(path, type, body)), /^HTTP\/1.1 [24]\d\d /)
        const slowly = rawPost(path, type, body)
        assert.match(
          await sendRaw([...slowly.slice(0, 1), ...chunks(body)]),
          /^HTTP\/1.1 [24]\d\d /
        )
        /* The client goes away in the middle. */
        await sendRaw(rawPost(path, { ...type, 'Content-Length': '9999999' }, body), {
          leave: true,
        })
        assert.isTrue(await folder.isEmpty())
        assert.isTrue(await isAlive())
      })
  }

  test('a multipart body has 1,000 parts at most, and texts in UTF-8', async ({ assert }) => {
    const type = { 'Content-Type': 'multipart/form-data; boundary=b' }
    const statusOf = async (parts: string) => {
      const body = Buffer.from(`${parts}--b--`, 'latin1')
      const answer = await sendRaw(rawPost('/_test/http/echo', type, body))
      return Number(answer.split(' ')[1])
    }
    assert.equal(await statusOf(part('"a"').repeat(1000)), 200)
    assert.equal(await statusOf(part('"a"').repeat(1001)), 413)
    assert.equal(await statusOf(part('"a"', '', '\xc3\xa9')), 200)
    assert.equal(await statusOf(part('"a"', '', '\xe9')), 422)
  })

  test('a request with two lengths is refused: a proxy may have read the other one')
    .with([
      'Content-Length: 5\r\nContent-Length: 6',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
    ])
    .run(async ({ assert }, lengths) => {
      const head = `POST /user HTTP/1.1\r\nHost: localhost\r\n${lengths}\r\n\r\n`
      assert.match(
        await sendRaw([`${head}0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n`]),
        /^HTTP\/1.1 400 /
      )
    })

  test('a multipart type that says {$self} is refused')
    .with([
      '',
      '; boundary=',
      '; boundary',
      '; boundary=""',
      '; charset=x',
      `; boundary=${'x'.repeat(5000)}`,
    ])
    .run(async ({ assert }, rest) => {
      const type = { 'Content-Type': `multipart/form-data${rest}` }
      const answer = await sendRaw(rawPost('/user', type, part('"a"')))
      assert.match(answer, /^HTTP\/1.1 4\d\d /)
      assert.isTrue(await isAlive())
    })
})

/** A body in pieces of a few bytes, so that a boundary lies across them. */
function chunks(body: string) {
  return [...(body.slice(0, 400).match(/[^]{1,7}/g) ?? []), body.slice(400)]
}

test.group('Bodies | limits and encodings', () => {
  const bomb = '"' + 'a'.repeat(30_000_000) + '"'

  for (const [title, headers, body, status] of [
    ['a bomb of gzip', { 'Content-Encoding': 'gzip' }, gzipSync(bomb), 413],
    ['a bomb of deflate', { 'Content-Encoding': 'deflate' }, deflateSync(bomb), 413],
    ['a bomb of brotli', { 'Content-Encoding': 'br' }, brotliCompressSync(bomb), 413],
    ['gzip that is none', { 'Content-Encoding': 'gzip' }, '{"a":1}', 422],
    ['deflate that is none', { 'Content-Encoding': 'deflate' }, '{"a":1}', 422],
    ['brotli that is none', { 'Content-Encoding': 'br' }, '{"a":1}', 422],
    ['gzip cut short', { 'Content-Encoding': 'gzip' }, gzipSync('{"a":1}').subarray(0, 12), 422],
    ['gzip of nothing', { 'Content-Encoding': 'gzip' }, '', 422],
    ['an unknown encoding', { 'Content-Encoding': 'zebra' }, '{}', 415],
    ['an encoding of Object.prototype', { 'Content-Encoding': 'constructor' }, '{}', 415],
    ['two encodings', { 'Content-Encoding': 'gzip, gzip' }, '{}', 415],
    ['more than a megabyte', {}, `{"a":"${'x'.repeat(1_100_000)}"}`, 413],
  ] as [string, Record<string, string>, string | Buffer, number][]) {
    test(`${title} is ${status} for a program, and 400 for an OAuth client`, async ({ assert }) => {
      const json = { 'Content-Type': 'application/json', ...headers }
      assert.include(await sendRaw(rawPost('/_test/http/echo', json, body)), `HTTP/1.1 ${status} `)
      const oauth = { 'Content-Type': FORM, ...headers }
      const answer = await sendRaw(rawPost('/oauth/token', oauth, body))
      assert.match(answer, /^HTTP\/1.1 400 /)
      assert.include(answer, 'invalid_request')
      assert.isTrue(await isAlive())
    })
  }

  test('a chunked body has the same limits', async ({ assert }) => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const head = (path: string, type: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Type: ${type}\r\n\r\n`
    const answer = await sendRaw([
      head('/_test/http/echo', 'application/json'),
      chunk.repeat(40),
      '0\r\n\r\n',
    ])
    assert.match(answer, /^HTTP\/1.1 413 /)
    const oauth = await sendRaw([head('/oauth/token', FORM), chunk.repeat(40), '0\r\n\r\n'])
    assert.match(oauth, /^HTTP\/1.1 400 /)
    const broken = await sendRaw([head('/_test/http/echo', 'application/json'), 'zz\r\nx\r\n'])
    assert.match(broken, /^HTTP\/1.1 400 /)
    assert.isTrue(await isAlive())
  })

  test('the connection of a body that was too large can be used again', async ({ assert }) => {
    const [head, body] = rawPost('/_test/http/echo', { 'Content-Type': FORM }, 'x'.repeat(200_000))
    const { hostname, port } = new URL(await serverUrl())
    const { connect } = await import('node:net')
    const socket = connect(Number(port), hostname)
    let answers = ''
    socket.write(head!)
    socket.write(body!)
    socket.write('GET /user/42 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    for await (const chunk of socket) {
      answers += chunk
    }
    assert.match(answers, /^HTTP\/1.1 413 /)
    assert.match(answers, /HTTP\/1.1 200 [^]*42$/)
  })

  test('a form of a route that reads it by itself stays text, and JSON does not', async ({
    assert,
  }) => {
    const post = (type: string, body: string) =>
      new Visitor().post('/_test/http/raw_form', { body, headers: { 'content-type': type } })
    assert.deepEqual(await (await post(FORM, 'a=1&a=2')).json(), ['a=1&a=2', {}])
    assert.deepEqual(await (await post('application/json', '{"a":1}')).json(), [
      '{"a":1}',
      { a: 1 },
    ])
  })

  test('a route of small bodies reads no multipart body, however small', async ({ assert }) => {
    const send = async (body: FormData | URLSearchParams) =>
      (await fetch(await serverUrl('/_test/http/small'), { method: 'POST', body })).status
    assert.equal(await send(new URLSearchParams({ a: '1' })), 200)
    assert.equal(await send(form({ a: '1' })), 415)
  })

  test('a body of an OAuth endpoint has at most 64 KiB, JSON too', async ({ assert }) => {
    const bodyOf = (bytes: number) => {
      const { length } = JSON.stringify({ state: '' })
      return JSON.stringify({ state: 'x'.repeat(bytes - length) })
    }
    const personal = '/oauth/personal-access-tokens'
    for (const [path, bytes, status] of [
      ['/oauth/authorize', 65_537, 400],
      [personal, 65_537, 413],
      [personal, 65_536, 401],
    ] as const) {
      const response = await new Visitor().post(path, { body: bodyOf(bytes), headers: JSON_TYPE })
      assert.equal(response.status, status, `${path} ${bytes}`)
    }
  })
})

test.group('Files', (group) => {
  group.each.setup(() => testUtils.db().truncate())

  test('a route that does not ask for files takes none, and nothing is written', async ({
    assert,
  }) => {
    const folder = await uploadFolder()
    for (const path of ['/user', '/login', '/_test/http/echo', '/logout']) {
      const body = form({ title: 'x', file: file('a.txt'), constructor: file('b.txt') })
      assert.equal((await new Visitor().post(path, { body })).status, 415, path)
    }
    for (const path of [
      '/oauth/token',
      '/oauth/introspect',
      '/oauth/revoke',
      '/token',
      '/oauth/authorize',
    ]) {
      const response = await new Visitor().post(path, { body: form({ file: file('a.txt') }) })
      assert.equal(response.status, 400, path)
      assert.equal(((await response.json()) as any).error, 'invalid_request')
    }
    assert.equal(folder.made(), 0)
  })

  test('a file input that was left empty is no file', async ({ assert }) => {
    const empty = `--b\r\n${PART}"file"; filename=""\r\n${OCTETS}\r\n\r\n`
    const answer = await echo(`${empty}${part('"title"')}--b--\r\n`, {
      'content-type': 'multipart/form-data; boundary=b',
    })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { title: 'x' })
  })

  test('a route that asks for files reads them as AdonisJS does, and they are gone after the response', async ({
    assert,
  }) => {
    const folder = await uploadFolder()
    const response = await new Visitor().post('/_test/http/files', {
      body: form({
        'title': 'A title',
        'file': file('a.txt', 'héllo'),
        'list[]': [file('b.bin'), file('c')],
      }),
    })
    const answer = (await response.json()) as any
    assert.equal(response.status, 200)
    assert.containsSubset(answer.file, {
      fieldName: 'file',
      clientName: 'a.txt',
      size: 6,
      extname: 'txt',
      type: 'text',
      subtype: 'plain',
      isValid: true,
      content: 'héllo',
    })
    assert.equal(answer.mode, 0o600)
    assert.deepEqual(answer.names, ['b.bin', 'c'])
    assert.sameMembers(answer.body, ['title', 'file', 'list'])
    assert.equal(answer.title, 'A title')
    assert.isNull(answer.constructed)
    assert.equal(folder.made(), 3)
    assert.isTrue(await folder.isEmpty())
  })

  test('the type of a file is read from its first bytes', async ({ assert }) => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64'
    )
    for (const [name, extension] of [
      ['image.png', 'png'],
      ['image', 'png'],
      ['image.jpg', 'png'],
      ['image.txt', 'txt'],
    ]) {
      const body = new FormData()
      body.append('file', new File([png], name!, { type: 'text/plain' }))
      const response = await new Visitor().post('/_test/http/files', { body })
      assert.equal(((await response.json()) as any).file.extname, extension, name)
    }
  })

  test('a field cannot pose as a file, nor change one', async ({ assert }) => {
    const response = await new Visitor().post('/_test/http/files', {
      body: form({
        'file': file('a.txt'),
        'file.tmpPath': '/etc/passwd',
        'file[tmpPath]': '/etc/passwd',
        'file[isMultipartFile]': '1',
      }),
    })
    const text = await response.text()
    assert.notInclude(text, 'root:')
  })

  test('a file beyond what the route says of it is told to the route', async ({ assert }) => {
    const response = await new Visitor().post('/_test/http/files', {
      body: form({ file: file('a.txt', 'x'.repeat(2000)) }),
    })
    const answer = (await response.json()) as any
    assert.isFalse(answer.file.isValid)
    assert.equal(answer.file.errors[0].type, 'size')
  })

  test('too many files, or too many bytes, are 413 and leave nothing', async ({ assert }) => {
    const folder = await uploadFolder()
    const many = form({ file: [1, 2, 3, 4].map((number) => file(`${number}.txt`)) })
    const large = form({ file: file('a.txt', 'x'.repeat(200_000)) })
    for (const body of [many, large]) {
      assert.equal((await new Visitor().post('/_test/http/files', { body })).status, 413)
    }
    assert.isTrue(await folder.isEmpty())
  })

  test('a file is written to no path that is there already, e.g. a link of somebody else', async ({
    assert,
  }) => {
    await uploadFolder()
    const folder = await mkdtemp(join(tmpdir(), 'taken-'))
    getActiveTest()!.cleanup(() => rm(folder, { recursive: true }))
    const { config } = await app.container.make(BodyReader)
    const target = join(folder, 'target')
    await writeFile(target, 'theirs')
    await symlink(target, join(folder, 'link'))
    config.multipart.tmpFileName = () => join(folder, 'link')
    const response = await new Visitor().post('/_test/http/files', {
      body: form({ file: file('a.txt') }),
    })
    assert.equal(response.status, 500)
    assert.equal(await readFile(target, 'utf8'), 'theirs')
  })

  test('nothing stays when the route fails', async ({ assert }) => {
    const folder = await uploadFolder()
    const response = await new Visitor().post('/_test/http/files/fail', {
      body: form({ file: file('a.txt') }),
    })
    assert.equal(response.status, 500)
    assert.equal(folder.made(), 1)
    assert.isTrue(await folder.isEmpty())
  })

  test('no file is written before the caller is known and the CSRF token is right', async ({
    assert,
  }) => {
    const folder = await uploadFolder()
    const path = '/_test/http/files/mine'
    const large = 'x'.repeat(500_000)
    const stranger = new Visitor()
    assert.equal(
      (await stranger.post(path, { body: form({ file: file('a', large) }) })).status,
      401
    )

    const { visitor } = await signedIn()
    for (const fields of [{}, { _token: 'wrong' }] as Record<string, string>[]) {
      const response = await visitor.post(path, {
        body: form({ ...fields, file: file('a', large) }),
      })
      assert.equal(response.status, 403)
    }
    assert.equal(folder.made(), 0)

    const response = await visitor.post(path, {
      body: form({ _token: visitor.csrfToken, file: file('mine.txt', large) }),
    })
    assert.deepEqual(await response.json(), { name: 'mine.txt' })
    assert.equal(folder.made(), 1)
    assert.isTrue(await folder.isEmpty())
  })

  test('a form without files is signed by its field like every other', async ({ assert }) => {
    const { visitor } = await signedIn()
    assert.equal((await visitor.post('/logout', { body: form({}) })).status, 403)
    const body = form({ _token: visitor.csrfToken })
    assert.equal((await visitor.post('/logout', { body })).status, 200)
  })
})
