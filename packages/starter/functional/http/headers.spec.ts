import app from '@adonisjs/core/services/app'
import { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import { getActiveTest, test } from '@japa/runner'

import { SecurityHeaders } from '#kit/http/security_headers'
import { StaticFiles } from '#kit/http/static_files'
import { allowFormTarget } from '#kit/http/form_target'
import { sendRaw } from '#starter/helpers/raw_socket'
import { Visitor } from '#starter/helpers/visitor'

router.get('/_test/headers/boom', () => {
  throw new Error('boom')
})

const EXPECTED: [name: string, value: RegExp][] = [
  [
    'content-security-policy',
    /^default-src 'self';base-uri 'none';form-action 'self';frame-ancestors 'none';object-src 'none'/,
  ],
  ['content-type', /^(text\/(html|css|plain)|application\/json); charset=utf-8$/],
  ['x-frame-options', /^DENY$/],
  ['x-content-type-options', /^nosniff$/],
  ['strict-transport-security', /^max-age=31536000$/],
  ['permissions-policy', /camera=\(\)/],
  ['cross-origin-opener-policy', /^same-origin$/],
  ['referrer-policy', /^(strict-origin-when-cross-origin|same-origin|no-referrer)$/],
]

/** Applies the headers to a response of their own and says what it has. */
async function applied(config: Parameters<typeof SecurityHeaders.make>[0]) {
  const headers = new Map<string, string>()
  const shared: Record<string, string>[] = []
  const response = { header: (name: string, value: string) => headers.set(name, value) } as any
  const made = await SecurityHeaders.make(config)
  made.apply({ response, view: { share: (values: any) => shared.push(values) } } as any)
  return { headers, shared, response }
}

test.group('Security headers', () => {
  test('{$self} has all of them')
    .with([
      '/login',
      '/user/7',
      '/app.css',
      '/nowhere',
      '/_test/headers/boom',
      '/api/me',
      '/account',
      '/.well-known/oauth-authorization-server',
    ])
    .run(async ({ assert }, path) => {
      for (const accept of ['*/*', 'text/html']) {
        const response = await new Visitor().get(path, { headers: { accept } })
        for (const [name, value] of EXPECTED) {
          assert.match(response.headers.get(name) ?? '', value, `${path} ${name}`)
        }
      }
    })

  test('an endpoint that answers without a page makes no view', async ({ assert }) => {
    const descriptor = Object.getOwnPropertyDescriptor(HttpContext.prototype, 'view')!
    let made = 0
    Object.defineProperty(HttpContext.prototype, 'view', {
      ...descriptor,
      get() {
        made++
        return descriptor.get!.call(this)
      },
    })
    getActiveTest()!.cleanup(() => {
      Object.defineProperty(HttpContext.prototype, 'view', descriptor)
    })
    await new Visitor().get('/api/me', { headers: { authorization: 'Bearer 1|nobody' } })
    assert.equal(made, 0)
    await new Visitor().get('/login', { headers: { accept: 'text/html' } })
    assert.isAbove(made, 0)
  })

  test('a policy with a nonce has another one for each response, which views know', async ({
    assert,
  }) => {
    const config = {
      csp: {
        enabled: true,
        directives: { defaultSrc: [`'self'`], scriptSrc: [`'self'`, '@nonce'] },
      },
    }
    const first = await applied(config)
    const second = await applied(config)
    const nonce = first.response.nonce
    assert.match(nonce, /^[\w-]{22}$/)
    assert.equal(
      first.headers.get('Content-Security-Policy'),
      `default-src 'self';script-src 'self' 'nonce-${nonce}'`
    )
    assert.deepEqual(first.shared, [{ cspNonce: nonce }])
    assert.notEqual(second.response.nonce, nonce)
    assert.deepEqual(config.csp.directives.scriptSrc, [`'self'`, '@nonce'])
  })

  test('a page whose forms lead to {uri} allows {source}, also where a policy only reports')
    .with([
      { uri: 'https://app.example.com/cb?a=1', source: 'https://app.example.com' },
      { uri: 'http://127.0.0.1:4711/cb', source: 'http://127.0.0.1:4711' },
      { uri: 'http://[::1]:4711/cb', source: 'http:' },
      { uri: 'https://a;script-src/cb', source: 'https:' },
      { uri: 'com.example.app:/cb', source: 'com.example.app:' },
    ])
    .run(async ({ assert }, { uri, source }) => {
      for (const reportOnly of [false, true]) {
        const { headers, response } = await applied({
          csp: {
            enabled: true,
            reportOnly,
            directives: { formAction: [`'self'`], defaultSrc: [`'self'`] },
          },
        })
        allowFormTarget(
          { response: { ...response, getHeader: (name: string) => headers.get(name) } },
          uri
        )
        const name = 'Content-Security-Policy'
        assert.equal(
          headers.get(reportOnly ? `${name}-Report-Only` : name),
          `form-action 'self' ${source};default-src 'self'`
        )
      }
    })

  test('what is turned off is not sent', async ({ assert }) => {
    const { headers } = await applied({
      csp: { enabled: false },
      xFrame: { enabled: false },
    } as any)
    assert.equal(headers.size, 0)
  })
})

test.group('Static files', () => {
  test('a file of the public folder is served, and nothing outside of it', async ({ assert }) => {
    const file = await new Visitor().get('/app.css')
    assert.equal(file.status, 200)
    assert.match(file.headers.get('content-type')!, /^text\/css/)
    assert.isNotNull(file.headers.get('etag'))
    /* As bytes: `fetch` takes the dots out of an address before it asks. */
    const above = ['/../package.json', '/%2e%2e/package.json', '/..%2fpackage.json']
    for (const path of [...above, '/x/../../package.json', '/app.css/x', '/%ff', '/%00']) {
      const answer = await sendRaw([`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`])
      assert.match(answer, /^HTTP\/1.1 4\d\d /, path)
      assert.notInclude(answer, '"dependencies"')
    }
  })

  test('pages name files by an address that changes with their content and lasts a year', async ({
    assert,
  }) => {
    const page = await (await new Visitor().get('/login')).text()
    for (const path of ['/app.css', '/app.js', '/passkeys.js']) {
      const [address] = page.match(new RegExp(`"${path}\\?v=[\\w-]{12}"`)) ?? assert.fail(path)
      const file = await new Visitor().get(address.slice(1, -1))
      assert.equal(file.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    }
  })

  test('an address with another fingerprint, or none, is asked for anew', async ({ assert }) => {
    for (const address of ['/app.css', '/app.css?v=other', '/app.css?']) {
      const file = await new Visitor().get(address)
      assert.equal(file.headers.get('cache-control'), 'public, max-age=0', address)
    }
  })

  test('where files may change their address is their path', ({ assert }) => {
    assert.equal(new StaticFiles(null).addressOf('/app.css'), '/app.css')
    assert.equal(StaticFiles.in(app.publicPath()).addressOf('/nowhere.css'), '/nowhere.css')
  })

  test('files that are known need no look at the disk', ({ assert }) => {
    const files = StaticFiles.in(app.publicPath())
    assert.isTrue(files.mayHave('/app.css'))
    assert.isTrue(files.mayHave('/%61pp.css'))
    for (const path of ['/', '/user/7', '/app.css/', '/nowhere.css', '/%ff', '/constructor', '']) {
      assert.isFalse(files.mayHave(path), path)
    }
  })

  test('where files may change every path is looked up', ({ assert }) => {
    assert.isTrue(new StaticFiles(null).mayHave('/nowhere.css'))
  })

  test('an application without a public folder has no files', ({ assert }) => {
    assert.isFalse(StaticFiles.in(app.makePath('no/such/folder')).mayHave('/app.css'))
  })
})
