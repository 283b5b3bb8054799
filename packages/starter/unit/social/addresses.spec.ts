import { Resolver } from 'node:dns/promises'
import { mock } from 'node:test'

import { getActiveTest, test } from '@japa/runner'

import { resolvePublicly as resolveHost } from '#kit/http/public_address'
import { isUsableHost } from '#kit/passkeys/define_config'
import { domainOf, resolvePublicly as resolveText } from '#kit/social/domains'
import { apple, github, gitlab, google, microsoft } from '#kit/social/presets'
import { GitHubProvider } from '#kit/social/providers/github'

/** Lets name servers answer, or fail with a code, until the test ends. */
function answer(method: 'resolve4' | 'resolve6' | 'resolveTxt', answers: unknown) {
  const spy = mock.method(Resolver.prototype, method, (async () => {
    if (typeof answers === 'string') throw Object.assign(new Error(answers), { code: answers })
    return answers
  }) as any)
  getActiveTest()!.cleanup(() => spy.mock.restore())
}

test.group('What name servers say', () => {
  test('a TXT record in parts is one text', async ({ assert }) => {
    answer('resolveTxt', [['app=', 'abc'], ['v=spf1']])
    assert.deepEqual(await resolveText('example.com'), ['app=abc', 'v=spf1'])
  })

  test('{$self} means that there is no record')
    .with(['ENODATA', 'ENOTFOUND'])
    .run(async ({ assert }, code) => {
      answer('resolveTxt', code)
      assert.deepEqual(await resolveText('example.com'), [])
    })

  test('a name server that fails is no answer', async ({ assert }) => {
    answer('resolveTxt', 'ESERVFAIL')
    await assert.rejects(() => resolveText('example.com'), 'ESERVFAIL')
  })

  test('the addresses of a host are those of both families', async ({ assert }) => {
    const { signal } = new AbortController()
    answer('resolve4', ['93.184.216.34'])
    answer('resolve6', ['2606:2800::1'])
    assert.deepEqual(await resolveHost('example.com', signal), ['93.184.216.34', '2606:2800::1'])
  })

  test('a host may have addresses of one family, or none', async ({ assert }) => {
    const { signal } = new AbortController()
    answer('resolve4', 'ENODATA')
    answer('resolve6', ['2606:2800::1'])
    assert.deepEqual(await resolveHost('example.com', signal), ['2606:2800::1'])
    answer('resolve6', 'ENODATA')
    assert.deepEqual(await resolveHost('example.com', signal), [])
  })

  test('whoever gives up waits for no name server', async ({ assert }) => {
    const cancelled = mock.method(Resolver.prototype, 'cancel', () => {})
    getActiveTest()!.cleanup(() => cancelled.mock.restore())
    const abort = new AbortController()
    const asked = Promise.withResolvers<string[]>()
    const spy = mock.method(Resolver.prototype, 'resolve4', () => asked.promise)
    getActiveTest()!.cleanup(() => spy.mock.restore())
    answer('resolve6', [])
    const resolved = resolveHost('example.com', abort.signal)
    abort.abort()
    assert.equal(cancelled.mock.callCount(), 1)
    asked.resolve([])
    await resolved
  })
})

test.group('Names of hosts', () => {
  test('a domain is compared in lower case and ASCII', ({ assert }) => {
    const domains = [
      ' Example.COM ',
      'bücher.example',
      'localhost',
      '127.0.0.1',
      'a..b',
      '-a.b.example',
    ]
    assert.deepEqual(domains.map(domainOf), [
      'example.com',
      'xn--bcher-kva.example',
      ...[null, null, null, null],
    ])
  })

  test('browsers take passkeys for a name, and for no address', ({ assert }) => {
    const hosts = ['localhost', 'app.example', '127.0.0.1', '::1', '[::1]']
    assert.deepEqual(hosts.map(isUsableHost), [true, true, false, false, false])
  })

  test('providers are called by their names', ({ assert }) => {
    const client = { clientId: 'client', clientSecret: 'secret' }
    const team = { clientId: 'client', teamId: 'team', keyId: 'key', privateKey: 'key' }
    const made = [google(client), microsoft(client), gitlab(client), apple(team), github(client)]
    assert.deepEqual(
      made.map((create) => create!('name').label),
      ['Google', 'Microsoft', 'GitLab', 'Apple', 'GitHub']
    )
  })

  test('a sign-in through GitHub begins at github.com, and asks for name and addresses', async ({
    assert,
  }) => {
    const provider = new GitHubProvider('github', {
      ...{ label: 'GitHub', clientId: 'client', clientSecret: 'secret' },
    })
    const checks = { state: 's', nonce: 'n', verifier: 'v', freshSince: null } as any
    const url = await provider.authorizationUrl('https://app.example/cb', checks)
    assert.equal(url.origin + url.pathname, 'https://github.com/login/oauth/authorize')
    assert.equal(url.searchParams.get('scope'), 'read:user user:email')
    assert.isFalse(provider.acceptsAmr)
  })
})
