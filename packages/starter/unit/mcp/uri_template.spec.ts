import { test } from '@japa/runner'

import { UriTemplate } from '#kit/mcp/definition/uri_template'

const match = (template: string, uri: string) => new UriTemplate(template).match(uri)

test.group('MCP URI template (RFC 6570, backwards)', () => {
  test('{template} reads {uri}')
    .with([
      { template: 'a://{id}', uri: 'a://7', values: { id: '7' } },
      { template: 'a://{id}/x', uri: 'a://7/x', values: { id: '7' } },
      { template: 'a://{id}', uri: 'a://a%20b%2Fc', values: { id: 'a b/c' } },
      { template: 'a://{id}', uri: 'a://%C3%BC', values: { id: 'ü' } },
      { template: 'a://{x,y}', uri: 'a://1,2', values: { x: '1', y: '2' } },
      { template: 'a://{x,y}', uri: 'a://1', values: { x: '1' } },
      { template: 'a://{x}.{y}', uri: 'a://file.txt', values: { x: 'file', y: 'txt' } },
      { template: 'a://{x}.{y}', uri: 'a://a.b.c', values: { x: 'a.b', y: 'c' } },
      { template: 'a://{y}-{m}-{d}', uri: 'a://26-11-21', values: { y: '26', m: '11', d: '21' } },
      { template: 'a://{list*}', uri: 'a://1,2,3', values: { list: ['1', '2', '3'] } },
      { template: 'a://{+path}', uri: 'a://b/c/d', values: { path: 'b/c/d' } },
      { template: 'a://{+path}/end', uri: 'a://b/c/end', values: { path: 'b/c' } },
      { template: 'a://x{#part}', uri: 'a://x#p/1', values: { part: 'p/1' } },
      { template: 'a://x{#part}', uri: 'a://x', values: {} },
      { template: 'a://file{.ext}', uri: 'a://file.md', values: { ext: 'md' } },
      { template: 'a://file{.ext}', uri: 'a://file', values: {} },
      { template: 'a://x{/id}', uri: 'a://x/7', values: { id: '7' } },
      { template: 'a://x{/id}', uri: 'a://x', values: {} },
      { template: 'a://x{/a,b}', uri: 'a://x/1/2', values: { a: '1', b: '2' } },
      { template: 'a://x{/path*}', uri: 'a://x/1/2', values: { path: ['1', '2'] } },
      { template: 'a://x{;a,b}', uri: 'a://x;a=1;b', values: { a: '1', b: '' } },
      { template: 'a://x{?q,n}', uri: 'a://x?n=2&q=a%26b', values: { q: 'a&b', n: '2' } },
      { template: 'a://x{?q}', uri: 'a://x', values: {} },
      { template: 'a://x{?q}', uri: 'a://x?other=1&q=2', values: { q: '2' } },
      { template: 'a://x{?tag*}', uri: 'a://x?tag=1&tag=2', values: { tag: ['1', '2'] } },
      { template: 'a://x?fixed=1{&q}', uri: 'a://x?fixed=1&q=2', values: { q: '2' } },
      { template: 'a://{a.b}', uri: 'a://1', values: { 'a.b': '1' } },
      { template: 'a://b.c(d)/{id}', uri: 'a://b.c(d)/1', values: { id: '1' } },
    ])
    .run(({ assert }, { template, uri, values }) => {
      assert.deepEqual(match(template, uri), values)
    })

  test('{template} does not read {uri}')
    .with([
      { template: 'a://{id}', uri: 'a://' },
      { template: 'a://{id}', uri: 'a://1/2' },
      { template: 'a://{id}', uri: 'a://1?q=2' },
      { template: 'a://{id}', uri: 'b://1' },
      { template: 'a://{id}', uri: 'xa://1' },
      { template: 'a://b.c/{id}', uri: 'a://bxc/1' },
      { template: 'a://{id}', uri: 'a://%' },
      { template: 'a://{id}', uri: 'a://%ff' },
      { template: 'a://x{/id}', uri: 'a://x/1/2' },
      { template: 'a://{id}', uri: `a://${'x'.repeat(2045)}` },
    ])
    .run(({ assert }, { template, uri }) => {
      assert.isNull(match(template, uri))
    })

  test('reads a URI of 2048 characters', ({ assert }) => {
    const id = 'x'.repeat(2044)
    assert.deepEqual(match('a://{id}', `a://${id}`), { id })
  })

  test('names no member of Object.prototype by accident', ({ assert }) => {
    assert.deepEqual(match('a://x{?q}', 'a://x?__proto__=1&constructor=2'), {})
  })

  test('refuses {$self} at start')
    .with(['a://{', 'a://}', 'a://{}', 'a://{id', 'a://{a b}', 'a://{id:3}', 'a://{!id}'])
    .run(({ assert }, template) => {
      assert.throws(() => new UriTemplate(template))
    })

  test('refuses what cannot be told apart', ({ assert }) => {
    assert.throws(() => new UriTemplate('a://{a}{b}'), /nothing between/)
    assert.throws(() => new UriTemplate('a://{a}{+b}'), /nothing between/)
    assert.throws(() => new UriTemplate('a://{id}/{id}'), /twice/)
    assert.doesNotThrow(() => new UriTemplate('a://{a}{/b}{?c}'))
  })

  test('matching takes no more than a moment, whatever the URI', ({ assert }) => {
    const slashes = `a://${'/'.repeat(2040)}`
    assert.isNull(match('a://{+a}/{+b}/{+c}/{+d}/{+e}/end', slashes))
    const dashes = `a://${'-'.repeat(2040)}`
    assert.isNull(match('a://{a}-{b}-{c}-{d}-{e}/end', dashes))
  })
})
