import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { generateIdentifier, hashSecret } from '#kit/security/secrets'
import { Client } from '#kit/oauth2/clients/client'
import {
  type ClientRepository,
  InMemoryClientRepository,
  OrmClientRepository,
} from '#kit/oauth2/clients/client_repository'
import { extendRedirectUri } from '#kit/oauth2/clients/client_urls'
import { CONNECTIONS, useSecondConnection } from '#starter/helpers/databases'
import { isolate } from '#starter/helpers/oauth'

const REPOSITORIES: Record<string, () => ClientRepository> = {
  memory: () => new InMemoryClientRepository(),
  ...Object.fromEntries(
    CONNECTIONS.map(({ name, connection }) => [
      name,
      () => new OrmClientRepository(() => db.connection(connection)),
    ])
  ),
}

function createClient(fields: Partial<Client> = {}) {
  return new Client({
    id: generateIdentifier(),
    name: 'Ünïcode',
    secretHash: hashSecret('secret'),
    redirectUris: ['https://a.example.com/', 'com.example.app:/cb'],
    grantTypes: ['authorization_code'],
    scopes: ['posts:read'],
    provider: 'users',
    revoked: false,
    createdAt: 1_700_000_000_123,
    ...fields,
  })
}

for (const [name, create] of Object.entries(REPOSITORIES)) {
  test.group(`Client repository contract | ${name}`, (group) => {
    group.setup(useSecondConnection)
    group.each.setup(isolate)

    test('reads back what was inserted', async ({ assert }) => {
      const repository = create()
      const full = createClient()
      const bare = createClient({
        secretHash: null,
        redirectUris: [],
        grantTypes: [],
        scopes: [],
        provider: null,
      })
      await repository.insert(full)
      await repository.insert(bare)
      assert.deepEqual(await repository.find(full.id), full)
      assert.deepEqual(await repository.find(bare.id), bare)
      assert.isNull(await repository.find('unknown'))
    })

    test('reads several at once', async ({ assert }) => {
      const repository = create()
      const clients = [createClient(), createClient(), createClient()]
      for (const client of clients) {
        await repository.insert(client)
      }
      const found = await repository.findMany([clients[0]!.id, clients[2]!.id, 'unknown'])
      assert.sameDeepMembers(found, [clients[0], clients[2]])
    })

    test('lists clients, and changes those that are not revoked', async ({ assert }) => {
      const repository = create()
      const [older, newer] = [createClient({ createdAt: 1 }), createClient({ createdAt: 2 })]
      await repository.insert(older)
      await repository.insert(newer)
      const inserted = (await repository.list()).filter(({ createdAt }) => createdAt < 3)
      assert.deepEqual(inserted, [newer, older])

      const changes = {
        redirectUris: ['https://b.example.com/cb'],
        secretHash: hashSecret('new'),
        previousSecretHash: older.secretHash,
        previousSecretExpiresAt: 7_000,
      }
      assert.isTrue(await repository.update(older.id, changes))
      assert.deepEqual(await repository.find(older.id), createClient({ ...older, ...changes }))
      await repository.revoke(older.id)
      assert.isFalse(await repository.update(older.id, { redirectUris: [] }))
      assert.isFalse(await repository.update('unknown', { redirectUris: [] }))
    })

    test('changes a client only while it has the secret that is named', async ({ assert }) => {
      const repository = create()
      const client = createClient()
      await repository.insert(client)
      const rotation = { secretHash: hashSecret('new') }
      assert.isFalse(await repository.update(client.id, rotation, hashSecret('other')))
      assert.isTrue(await repository.update(client.id, rotation, client.secretHash!))
      assert.isFalse(await repository.update(client.id, rotation, client.secretHash!))
      assert.deepEqual(await repository.find(client.id), createClient({ ...client, ...rotation }))
    })

    test('revokes once', async ({ assert }) => {
      const repository = create()
      const client = createClient()
      await repository.insert(client)
      assert.isTrue(await repository.revoke(client.id))
      assert.isFalse(await repository.revoke(client.id))
      assert.isFalse(await repository.revoke('unknown'))
      assert.deepEqual(await repository.find(client.id), createClient({ ...client, revoked: true }))
    })

    const documentClient = (fields: Partial<Client> = {}) =>
      createClient({
        id: `https://agent.example.com/${generateIdentifier()}`,
        secretHash: null,
        scopes: [],
        provider: null,
        source: 'document',
        documentExpiresAt: 1_700_000_300_000,
        purgeAt: 1_700_086_400_000,
        ...fields,
      })

    test('reads back what a document says, and replaces it by what a newer one says', async ({
      assert,
    }) => {
      const repository = create()
      const client = documentClient({ id: `https://agent.example.com/${'x'.repeat(229)}` })
      await repository.saveDocument(client)
      assert.deepEqual(await repository.find(client.id), client)
      assert.deepEqual(await repository.findMany([client.id]), [client])

      const newer = createClient({
        ...client,
        name: 'Renamed',
        redirectUris: ['https://b.example.com/'],
        grantTypes: ['authorization_code', 'refresh_token'],
        requirePushed: true,
        documentExpiresAt: 1_700_000_900_000,
        purgeAt: 1_700_090_000_000,
      })
      await repository.saveDocument(createClient({ ...newer, createdAt: 1_800_000_000_000 }))
      assert.deepEqual(await repository.find(client.id), newer)
    })

    test('a newer document neither restores a revoked client nor touches a registered one', async ({
      assert,
    }) => {
      const repository = create()
      const client = documentClient()
      await repository.saveDocument(client)
      await repository.revoke(client.id)
      await repository.saveDocument(client)
      assert.isTrue((await repository.find(client.id))!.revoked)

      const registered = createClient()
      await repository.insert(registered)
      await repository.saveDocument(documentClient({ id: registered.id, name: 'Impostor' }))
      assert.deepEqual(await repository.find(registered.id), registered)
    })

    test('deletes clients whose time has come, and that nobody has used meanwhile', async ({
      assert,
    }) => {
      const repository = create()
      const due = documentClient({ purgeAt: 1000 })
      const later = documentClient({ purgeAt: 1001 })
      const revoked = documentClient({ purgeAt: 1000, revoked: true })
      const dynamic = createClient({ source: 'registration', purgeAt: 999 })
      const registered = createClient()
      for (const client of [due, later, revoked, dynamic, registered]) {
        await repository.insert(client)
      }
      const all = [due, later, revoked, dynamic, registered].map(({ id }) => id)
      assert.sameMembers(await repository.findUnused(1000, 10), [due.id, dynamic.id])
      assert.lengthOf(await repository.findUnused(1000, 1), 1)
      assert.equal(await repository.keepUntil([due.id, registered.id, 'unknown'], 2000), 1)
      assert.equal(await repository.deleteUnused(all, 1000), 1)
      assert.isNull(await repository.find(dynamic.id))
      assert.equal((await repository.find(due.id))!.purgeAt, 2000)
      assert.isNull((await repository.find(registered.id))!.purgeAt)
      assert.equal(await repository.deleteUnused([], 5000), 0)
    })
  })
}

test.group('manager.clientRepository.register', (group) => {
  group.each.setup(isolate)

  const repository = async () => {
    const manager = await app.container.make('auth_manager')
    return manager.clientRepository
  }

  test('returns the client and its secret, of which only the hash is stored', async ({
    assert,
  }) => {
    const [client, secret] = await (
      await repository()
    ).register(
      'A client',
      ['https://a.example.com/cb'],
      true,
      ['authorization_code'],
      ['posts:read'],
      'users'
    )
    assert.match(client.id, /^[A-Za-z0-9]{22,}$/)
    assert.match(secret!, /^[A-Za-z0-9]{43,}$/)
    assert.isTrue(client.confidential)
    const row = await db.from('oauth_clients').where('id', client.id).first()
    assert.equal(row.secret_hash, hashSecret(secret!))
    assert.notInclude(JSON.stringify(row), secret!)
    assert.equal(row.scopes, '["posts:read"]')
    assert.equal(row.provider, 'users')
  })

  test('accepts https, http on loopback, and private-use schemes', async ({ assert }) => {
    const uris = [
      'https://a.example.com/cb?x=1',
      'http://127.0.0.1:8080/cb',
      'http://[::1]/cb',
      'http://localhost/cb',
      'com.example.app:/cb',
      'cursor://anysphere.cursor-mcp/oauth/callback',
    ]
    const [client] = await (await repository()).register('Änne’s client 2 ❤️', uris)
    assert.deepEqual(client.redirectUris, uris)
  })

  test('a client is confidential unless it is registered as a public one', async ({ assert }) => {
    const [client, secret] = await (await repository()).register('A', ['https://a.example.com/cb'])
    assert.isTrue(client.confidential)
    assert.isNotNull(secret)
  })

  test('a public client has no secret', async ({ assert }) => {
    const [client, secret] = await (await repository()).register('A', ['http://localhost/'], false)
    assert.isNull(secret)
    assert.isFalse(client.confidential)
  })

  const refused: [title: string, args: any[], message: RegExp][] = [
    ['an empty name', ['  '], /name/],
    ['a long name', ['x'.repeat(256)], /name/],
    ['a name with a line break', ['a\nb'], /name/],
    ['a name with a zero-width space', ['My\u200bBank'], /name/],
    ['a name that turns the text around', ['\u202eknaB yM'], /name/],
    ['a name with a bidirectional isolate', ['\u2066a'], /name/],
    ['a name with a line separator', ['a\u2028b'], /name/],
    ['a name with a soft hyphen', ['a\u00adb'], /name/],
    ['a name of fillers', ['\u3164'], /name/],
    ['a name with a character that nobody sees, though it is not assigned', ['a\u2065b'], /name/],
    ['a name of variation selectors', ['\ufe0f\ufe0f'], /name/],
    ['a name with a pile of marks, which covers other lines', [`a${'\u0335'.repeat(9)}`], /name/],
    ['a redirect URI over http', ['A', ['http://a.example.com/cb']], /https/],
    [
      'a redirect URI that only begins like loopback',
      ['A', ['http://127.0.0.1.example.com/']],
      /https/,
    ],
    [
      'a redirect URI with localhost as a user',
      ['A', ['http://localhost@a.example.com/']],
      /user name/,
    ],
    ['a redirect URI with a user', ['A', ['https://a.example.com@b.example.com/']], /user name/],
    ['a redirect URI with an empty user', ['A', ['https://@b.example.com/']], /user name/],
    ['a redirect URI with a wildcard host', ['A', ['https://*.example.com/cb']], /wildcards/],
    ['a redirect URI with a wildcard path', ['A', ['https://a.example.com/*']], /wildcards/],
    ['a relative redirect URI', ['A', ['/callback']], /absolute/],
    ['an empty redirect URI', ['A', ['']], /absolute/],
    ['a redirect URI without a host', ['A', ['https:///cb']], /absolute/],
    ['a redirect URI with one slash', ['A', ['https:/a.example.com']], /absolute/],
    ['a redirect URI with a blank', ['A', ['https://a.example.com/a b']], /absolute/],
    ['a redirect URI with a tab', ['A', ['java\tscript:alert(1)']], /absolute/],
    ['a redirect URI with a backslash', ['A', ['https://a.example.com\\@b']], /absolute/],
    ['a redirect URI with other letters', ['A', ['https://ä.example.com/']], /absolute/],
    ['a redirect URI with a fragment', ['A', ['https://a.example.com/#x']], /fragment/],
    ['a redirect URI with an empty fragment', ['A', ['https://a.example.com/#']], /fragment/],
    ...[
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'vbscript:x',
      'about:blank',
      'ftp://a.example.com/',
      'mailto:me@example.com',
      'intent://a',
      'wss://a.example.com/',
      'tel:1',
      'blob:https://a.example.com/x',
    ].map((uri): [string, any[], RegExp] => [`the redirect URI ${uri}`, ['A', [uri]], /refused/]),
    ['a name that is no text', [5], /name/],
    ['redirect URIs that are no list', ['A', 'https://a.example.com/'], /"redirectUris" must be/],
    ['a redirect URI that is no text', ['A', [5]], /absolute/],
    ['grants that are no list', ['A', [], true, 'password'], /"grantTypes" must be/],
    ['scopes that are no list', ['A', [], true, [], 'posts:read'], /"scopes" must be/],
    ['an unknown grant', ['A', [], true, ['implicit']], /grant type/],
    ['the scope *', ['A', [], true, [], ['*']], /never/],
    ['a scope outside the catalogue', ['A', [], true, [], ['nonsense']], /catalogue/],
    ['an unknown provider', ['A', [], true, [], [], 'others'], /user provider/],
    [
      'half a second as period for replays',
      ['A', [], true, [], [], null, { refreshGracePeriod: 0.5 }],
      /^The grace period is a whole number of seconds up to 2147483647, or 0$/,
    ],
    [
      'a period for replays that no column holds',
      ['A', [], true, [], [], null, { refreshGracePeriod: 2 ** 31 }],
      /^The grace period is a whole number of seconds up to 2147483647, or 0$/,
    ],
  ]
  for (const [title, args, message] of refused) {
    test(`refuses ${title}`, async ({ assert }) => {
      const clients = await repository()
      const error = await clients
        .register(...(args as [string]))
        .then(() => null)
        .catch((reason) => reason)
      assert.instanceOf(error, InvalidArgumentsException)
      assert.match(error.message, message)
      assert.lengthOf(await db.from('oauth_clients'), 0)
    })
  }
})

test.group('Redirects', () => {
  test('extending a redirect URI keeps its own query and encodes what is added', ({ assert }) => {
    const added = { code: 'c', iss: 'https://x', state: 'a b&=+ä', none: null }
    const query = 'code=c&iss=https%3A%2F%2Fx&state=a%20b%26%3D%2B%C3%A4'
    for (const [uri, expected] of [
      ['https://a.example.com/cb', `https://a.example.com/cb?${query}`],
      ['https://a.example.com/cb?', `https://a.example.com/cb?${query}`],
      ['https://a.example.com/cb?x=%2F&y', `https://a.example.com/cb?x=%2F&y&${query}`],
      ['com.example.app:/cb', `com.example.app:/cb?${query}`],
    ]) {
      assert.equal(extendRedirectUri(uri!, added), expected)
    }
  })
})
