import { Readable } from 'node:stream'

import { test } from '@japa/runner'

import { MultipartParts } from '#kit/http/body/multipart'
import { BodyTooLarge, MalformedBody } from '#kit/http/errors'

/** The parts of a body that arrives in pieces of this size. */
async function parts(body: string, { size = body.length, limit = 100_000 } = {}) {
  const bytes = Buffer.from(body)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  const found = []
  for await (const { content, ...part } of new MultipartParts(
    Readable.from(pieces),
    'b',
    limit
  ).read()) {
    const text = Buffer.concat(await Array.fromAsync(content)).toString()
    found.push({ ...part, text })
  }
  return found
}

const part = (disposition: string, text = 'x', more = '') =>
  `--b\r\nContent-Disposition: ${disposition}\r\n${more}\r\n${text}\r\n`

const field = (name: string, text: string) => ({
  ...{ name, fileName: undefined, contentType: 'text/plain' },
  text,
})

test.group('Parts of a multipart body', () => {
  const BODY = [
    part('form-data; name="a"', 'one'),
    part('form-data; name="empty"', ''),
    part('attachment; name="b"', 'no form data'),
    part('form-data; name="lines"', '\r\n--\r\n-b\r\n'),
    part('form-data; name="f"; filename="C:\\\\x\\\\a.txt"', 'file', 'content-TYPE: image/png\r\n'),
    '--b--\r\nwhat follows',
  ].join('')

  test('are the same in pieces of {$self} bytes')
    .with([1, 2, 3, 7, 10_000])
    .run(async ({ assert }, size) => {
      assert.deepEqual(await parts(BODY, { size }), [
        field('a', 'one'),
        field('empty', ''),
        field('lines', '\r\n--\r\n-b\r\n'),
        { name: 'f', fileName: 'a.txt', contentType: 'image/png', text: 'file' },
      ])
    })

  test('names are unescaped, and may be tokens, in any case', async ({ assert }) => {
    const body = [
      part('Form-Data; NAME="a\\"b%22c"; x=y'),
      part('form-data; filename=z.txt; name=tok'),
      part('form-data'),
      '--b--',
    ].join('')
    const names = (await parts(body)).map(({ name, fileName }) => [name, fileName])
    assert.deepEqual(names, [
      ['a"b"c', undefined],
      ['tok', 'z.txt'],
      ['', undefined],
    ])
  })

  test('text before the first part is skipped', async ({ assert }) => {
    const body = `preamble\r\n${part('form-data; name="a"', 'one')}--b--`
    assert.deepEqual(await parts(body), [field('a', 'one')])
  })

  test('have headers of at most 8 KiB', async ({ assert }) => {
    const disposition = 'form-data; name="a"'
    const used = `\r\nContent-Disposition: ${disposition}\r\nX: `.length
    const body = (length: number) =>
      `${part(disposition, 'one', `X: ${'x'.repeat(length - used)}\r\n`)}--b--`
    assert.lengthOf(await parts(body(8192)), 1)
    const refusal = 'A part of the request has too many headers'
    for (const size of [100, 10_000]) {
      await assert.rejects(() => parts(body(8193), { size }), BodyTooLarge, refusal)
      await assert.rejects(() => parts(body(50_000), { size }), BodyTooLarge, refusal)
    }
  })

  test('a body at its limit is read, and one byte more is too large', async ({ assert }) => {
    const body = `${part('form-data; name="a"')}--b--`
    assert.lengthOf(await parts(body, { limit: body.length }), 1)
    await assert.rejects(() => parts(body, { limit: body.length - 1 }), BodyTooLarge)
  })

  test('{what} is malformed')
    .with([
      { what: 'an empty body', body: '' },
      { what: 'a body without a boundary', body: 'x' },
      { what: 'a body without an end', body: part('form-data; name="a"') },
      { what: 'a boundary that goes on', body: `${part('form-data; name="a"')}--bc` },
    ])
    .run(async ({ assert }, { body }) => {
      await assert.rejects(() => parts(body), MalformedBody)
    })
})
