import { test } from '@japa/runner'
import db from '@adonisjs/lucid/services/db'

import { book, OPENS_URLS, pageOf } from '#starter/helpers/fixtures/mcp/asks_on_page'
import {
  authorizationServer,
  isolate,
  registerClient,
  registerItself,
} from '#starter/helpers/oauth'
import { signedIn } from '#starter/helpers/visitor'

const REDIRECTS = ['https://evil.example/back', 'http://127.0.0.1:8000/back', 'com.evil.app:/back']

/** What the page says to a person of the client that has called. */
async function said(clientId?: string | null): Promise<string> {
  const { user, visitor } = await signedIn()
  const headers = {
    ...OPENS_URLS,
    ...(clientId !== undefined && { 'x-client': clientId ?? 'none' }),
  }
  const path = pageOf(await book(user.id, 'Rome', headers))
  const response = await visitor.get(path, { headers: { accept: 'text/html' } })
  const html = await response.text()
  const [, rest = ''] = html.split('<dt>Your AI client</dt>')
  return rest.split('</dl>')[0]!.replace(/\s+/g, ' ').trim()
}

test.group('MCP questions | The client that asks', (group) => {
  group.each.setup(isolate)

  test('is named on the page, even when it has been revoked', async ({ assert }) => {
    const { id } = await registerClient({ name: 'Trip <b>planner</b>' })
    const name = '<dd> <strong>Trip &lt;b&gt;planner&lt;/b&gt;</strong> </dd>'
    assert.equal(await said(id), name)
    const { clients } = await authorizationServer()
    await clients.revoke(id)
    assert.equal(await said(id), name)
  })

  test('with a metadata document is known by its host, and only claims its name', async ({
    assert,
  }) => {
    const { id: registered } = await registerClient({ name: 'Claude' })
    const id = 'https://evil.example/client.json'
    await db.from('oauth_clients').where('id', registered).update({ id, source: 'document' })
    assert.match(await said(id), /^<dd> <strong>evil.example<\/strong> .* calls itself “Claude”/)
  })

  test('that has registered itself is told by where its sign-in leads', async ({ assert }) => {
    const { id } = await registerItself('Claude', REDIRECTS)
    const words = await said(id)
    assert.include(words, '<strong>Claude</strong>')
    assert.include(words, 'nobody has checked it')
    assert.include(words, 'leads to evil.example, 127.0.0.1, com.evil.app:.')
  })

  test('is a program with a token of the person where no client has called', async ({ assert }) => {
    assert.include(await said(null), 'A program that uses one of your API tokens')
  })

  test('is left out where it is not known', async ({ assert }) => {
    assert.equal(await said(), '')
    assert.equal(await said('gone'), '')
  })
})
