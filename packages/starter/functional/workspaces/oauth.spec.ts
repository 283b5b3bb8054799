import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { ApiToken } from '#kit/api_token/facade'
import { appUrl } from '#config/app'
import OAuthClient from '#models/oauth_client'
import { HTML, authorizationPath, consentForm, open, openPending } from '#starter/helpers/consent'
import {
  beginDevice,
  decideDevice,
  openDevice,
  pollDevice,
  useDevices,
} from '#starter/helpers/device'
import {
  type TestClient,
  authorizationFields,
  createPkce,
  credentials,
  isolate,
  post,
  postToken,
  read,
  redemption,
  refreshing,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { registerRelyingParty, useOpenId } from '#starter/helpers/openid'
import { Visitor, signedIn } from '#starter/helpers/visitor'
import {
  keyOf,
  postIn,
  settler,
  team,
  titlesSeenWith,
  useWorkspaces,
  work,
} from '#starter/helpers/workspaces'

const SCOPE = 'posts:read posts:write'

/** A person with a post of their own, and with one in the workspace of each of two teams. */
async function worker() {
  const { user, visitor, owner, workspaces, own } = await settler()
  const [one, two] = [await team(user, {}, 'One'), await team(user, {}, 'Two')]
  const boss = await signedIn()
  for (const [{ id }, title] of [
    [own, 'own'],
    [one, 'one'],
    [two, 'two'],
  ] as const) {
    await postIn(id, user, title)
    await workspaces.join(db.connection(), id, await keyOf(boss.user), 'owner')
  }
  return { user, visitor, one, two, owner, workspaces, client: await registerClient() }
}

/** Connects a client by the form of the consent page, where the person chooses. */
async function connect(
  visitor: Visitor,
  client: TestClient,
  choice: string | number | null,
  more: Record<string, unknown> = {}
) {
  const { verifier, challenge } = createPkce()
  const page = await open(visitor, client, {
    scope: SCOPE,
    prompt: 'consent',
    code_challenge: challenge,
    ...more,
  })
  const html = await page.text()
  const form = consentForm(html)
  const body = new URLSearchParams(form.hidden)
  form.scopes.forEach((scope) => body.append('scopes[]', scope))
  if (choice !== null) {
    body.append('context', String(choice))
  }
  const answer = await visitor.post(`${form.address}/approve`, {
    body: body.toString(),
    headers: { 'accept': 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  })
  const location = answer.headers.get('location')
  const code = location && new URL(location).searchParams.get('code')
  if (!code) {
    return { status: answer.status, html }
  }
  const { body: tokens } = await postToken(redemption(client, { code, verifier }))
  return { status: 200, html, tokens }
}

test.group('Workspaces of OAuth clients', (group) => {
  group.each.setup(isolate)
  group.each.setup(() => useWorkspaces({ common: false }))

  test('the consent page asks a person with teams, and names where they work first', async ({
    assert,
  }) => {
    const { visitor, one, client } = await worker()
    await work(visitor, one.id)
    const page = await (await open(visitor, client, { scope: SCOPE })).text()
    assert.match(page, new RegExp(`<option value="${one.id}"\\s+selected\\s*>One<`))
    assert.match(page, /<option value=""\s*>Personal</)
    assert.include(page, '<label for="context">Workspace</label>')
    assert.include(page, 'The app can see and change what is in this workspace, and in no other.')
  })

  test('a page that is shown again has the workspace that was chosen: {$self}')
    .with(['consent', 'device'] as const)
    .run(async ({ assert }, page) => {
      await useDevices()
      const { visitor, one, two, client } = await worker()
      await work(visitor, two.id)
      let action = '/device/approve'
      const fields: Record<string, string> = { context: String(one.id) }
      if (page === 'consent') {
        const { address } = consentForm(await (await open(visitor, client)).text())
        action = `${address}/approve`
      } else {
        fields.user_code = (await beginDevice(client)).user_code
      }
      const form = { ...fields, _token: visitor.csrfToken }
      const again = await visitor.post(action, { form, headers: HTML })
      assert.equal(again.status, 400)
      const html = await again.text()
      assert.match(html, new RegExp(`<option value="${one.id}"\\s+selected\\s*>One<`))
      assert.lengthOf(html.match(/\sselected\s/g)!, 1)
    })

  test('a form that names the workspace twice is refused, and decides nothing', async ({
    assert,
  }) => {
    const { visitor, one, two, client } = await worker()
    const { address } = consentForm(await (await open(visitor, client, { scope: SCOPE })).text())
    const send = (...contexts: number[]) => {
      const body = new URLSearchParams({ '_token': visitor.csrfToken, 'scopes[]': 'posts:read' })
      contexts.forEach((context) => body.append('context', String(context)))
      const headers = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }
      return visitor.post(`${address}/approve`, { body: body.toString(), headers })
    }
    assert.equal((await send(one.id, two.id)).status, 400)
    assert.lengthOf(await db.from('oauth_grants').where({ client_id: client.id }), 0)
    assert.equal((await send(one.id)).status, 303)
  })

  test(
    'a page whose workspace its person has lost meanwhile is shown again, with what is left: {$self}'
  )
    .with(['consent', 'device'] as const)
    .run(async ({ assert }, page) => {
      await useDevices()
      const { visitor, one, two, owner, workspaces, client } = await worker()
      let action = '/device/approve'
      const fields: Record<string, string> = { 'context': String(one.id), 'scopes[]': 'posts:read' }
      if (page === 'consent') {
        const { address } = consentForm(
          await (await open(visitor, client, { scope: SCOPE })).text()
        )
        action = `${address}/approve`
      } else {
        fields.user_code = (await beginDevice(client, { scope: SCOPE })).user_code
      }
      const send = (context: number) => {
        const form = { ...fields, context: String(context), _token: visitor.csrfToken }
        return visitor.post(action, { form, headers: HTML })
      }
      for (const { id, left } of [
        { id: one.id, left: true },
        { id: two.id, left: false },
      ]) {
        await workspaces.remove(id, owner)
        const again = await send(id)
        assert.equal(again.status, 400)
        const html = await again.text()
        assert.include(html, 'What you chose is no longer open to you.')
        assert.notInclude(html, `<option value="${id}"`)
        assert.equal(html.includes(`<option value="${two.id}"`), left)
        assert.lengthOf(html.match(/ checked /g)!, 1)
      }
    })

  test('a token that approves hands out the workspace that it is bound to, and no other', async ({
    assert,
  }) => {
    const { user, visitor, one, two, client } = await worker()
    await connect(visitor, client, two.id)
    await useConfig({ authorizationGuard: 'api' })
    await useDevices()
    const { plainText } = await ApiToken.create(user, { context: { workspace_id: one.id } })
    const headers = { authorization: `Bearer ${plainText}` }
    const send = async (path: string, json: object) =>
      read(await new Visitor().post(path, { json, headers }))

    /* What the client may do in the other workspace is not handed out unasked. */
    const page = await new Visitor().get(authorizationPath(client, { scope: SCOPE }), {
      headers: { ...headers, ...HTML },
    })
    assert.equal(page.status, 200)
    const { address } = consentForm(await page.text())
    for (const context of [{ workspace_id: two.id }, { other: true }]) {
      const refused = await send(`${address}/approve`, { context })
      assert.equal(refused.body.error, 'access_denied')
      const { user_code: code } = await beginDevice(client, { scope: SCOPE })
      const denied = await send('/device/approve', { user_code: code, context })
      assert.equal(denied.body.error, 'access_denied')
    }

    const { verifier, challenge } = createPkce()
    const fields = authorizationFields(client, { scope: SCOPE, code_challenge: challenge })
    const { body } = await send('/oauth/authorize', { ...fields, approved: true })
    const { body: tokens } = await postToken(redemption(client, { code: body.code, verifier }))
    assert.deepEqual(await titlesSeenWith(tokens.access_token), ['one'])
  })

  test('a token of the person’s own workspace hands out no other', async ({ assert }) => {
    const { user, one, client } = await worker()
    await useConfig({ authorizationGuard: 'api' })
    const { plainText } = await ApiToken.create(user)
    const headers = { authorization: `Bearer ${plainText}` }
    const page = await new Visitor().get(authorizationPath(client, { scope: SCOPE }), {
      headers: { ...headers, ...HTML },
    })
    const path = `${consentForm(await page.text()).address}/approve`
    const approve = async (json: object) => read(await new Visitor().post(path, { json, headers }))
    const refused = await approve({ context: { workspace_id: one.id } })
    assert.equal(refused.status, 400)
    assert.deepEqual(refused.body, {
      error: 'access_denied',
      error_description: 'The approving token is bound to another context.',
    })
    assert.equal((await approve({})).status, 200)
    const [grant] = await db.from('oauth_grants').where('user_id', String(user.id))
    assert.isNull(grant.context)
  })

  test('a person without a team is not asked', async ({ assert }) => {
    const { visitor } = await signedIn()
    const page = await (await open(visitor, await registerClient(), { scope: SCOPE })).text()
    assert.notInclude(page, '<select')
  })

  test('a client works in the workspace that the person chose, after a refresh too', async ({
    assert,
  }) => {
    const { visitor, one, client } = await worker()
    const { tokens } = await connect(visitor, client, one.id)
    assert.deepEqual(await titlesSeenWith(tokens.access_token), ['one'])
    await work(visitor, null)
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.deepEqual(await titlesSeenWith(body.access_token), ['one'])
  })

  test('without a choice it works in the person’s own', async ({ assert }) => {
    const { visitor, client, one } = await worker()
    await work(visitor, one.id)
    const { tokens } = await connect(visitor, client, '')
    assert.deepEqual(await titlesSeenWith(tokens.access_token), ['own'])
  })

  test('a first-party client works in the person’s own, and in a team with prompt=consent alone', async ({
    assert,
  }) => {
    const { visitor, client, one } = await worker()
    await OAuthClient.query().where('id', client.id).update({ first_party: true })
    await work(visitor, one.id)
    const { tokens } = await connect(visitor, client, one.id)
    assert.deepEqual(await titlesSeenWith(tokens.access_token), ['one'])
    const { verifier, challenge } = createPkce()
    const answer = await open(visitor, client, { scope: SCOPE, code_challenge: challenge })
    const code = new URL(answer.headers.get('location')!).searchParams.get('code')!
    const { body } = await postToken(redemption(client, { code, verifier }))
    assert.deepEqual(await titlesSeenWith(body.access_token), ['own'])
  })

  test('two workspaces are connected in one client at the same time', async ({ assert }) => {
    const { visitor, one, two, client } = await worker()
    const first = await connect(visitor, client, one.id)
    const second = await connect(visitor, client, two.id)
    assert.deepEqual(await titlesSeenWith(first.tokens.access_token), ['one'])
    assert.deepEqual(await titlesSeenWith(second.tokens.access_token), ['two'])
  })

  test('a client cannot choose', async ({ assert }) => {
    const { visitor, one, client } = await worker()
    const more = { context: String(one.id), workspace_id: String(one.id), workspace: one.slug }
    const { tokens } = await connect(visitor, client, '', more)
    assert.deepEqual(await titlesSeenWith(tokens.access_token), ['own'])
    const refreshed = await postToken(refreshing(client, tokens.refresh_token, more))
    assert.deepEqual(await titlesSeenWith(refreshed.body.access_token), ['own'])
  })

  test('a person cannot choose {what}: 400, and nothing is granted')
    .with([
      { what: 'a workspace of others', choice: async () => (await worker()).one.id },
      { what: 'what is no workspace', choice: async () => 'x' },
    ] as { what: string; choice(): Promise<string | number> }[])
    .run(async ({ assert }, { choice }) => {
      const { visitor, client, user } = await worker()
      const { status } = await connect(visitor, client, await choice())
      assert.equal(status, 400)
      assert.lengthOf(await db.from('oauth_grants').where('user_id', String(user.id)), 0)
    })

  test('an approval by JSON is judged as the form is', async ({ assert }) => {
    const { visitor, client, one } = await worker()
    const { one: foreign } = await worker()
    const handle = await openPending(visitor, client, { scope: SCOPE, prompt: 'consent' })
    const approve = (id: unknown) =>
      visitor.send(`/oauth/authorizations/${handle}/approve`, { context: { workspace_id: id } })
    for (const id of [foreign.id, String(one.id), null, 0]) {
      assert.equal((await approve(id)).status, 400)
    }
    const shown = (await (await visitor.get(`/oauth/authorizations/${handle}`)).json()) as any
    assert.deepEqual(
      shown.contexts.map(({ label }: any) => label),
      ['Personal', 'One', 'Two']
    )
    assert.equal((await approve(one.id)).status, 200)
  })

  test('a wider request of a connected client stays in its workspace', async ({ assert }) => {
    const { visitor, one, client } = await worker()
    await connect(visitor, client, one.id, { scope: 'posts:read' })
    await work(visitor, null)
    const page = await (await open(visitor, client, { scope: SCOPE, prompt: 'consent' })).text()
    assert.match(page, new RegExp(`<option value="${one.id}"\\s+selected`))
  })

  test('removing a member ends the tokens, refresh tokens and codes of that workspace, and no others', async ({
    assert,
  }) => {
    const { visitor, one, two, client, owner, workspaces } = await worker()
    const first = await connect(visitor, client, one.id)
    const second = await connect(visitor, client, two.id)
    const own = await connect(visitor, client, '')
    await workspaces.remove(one.id, owner)
    assert.equal(await titlesSeenWith(first.tokens.access_token), 401)
    const refused = await postToken(refreshing(client, first.tokens.refresh_token))
    assert.equal(refused.body.error, 'invalid_grant')
    assert.deepEqual(await titlesSeenWith(second.tokens.access_token), ['two'])
    assert.deepEqual(await titlesSeenWith(own.tokens.access_token), ['own'])
  })

  test('a code that was issued before the removal gives no tokens after it', async ({ assert }) => {
    const { visitor, one, client, owner, workspaces } = await worker()
    const { verifier, challenge } = createPkce()
    const handle = await openPending(visitor, client, {
      scope: SCOPE,
      prompt: 'consent',
      code_challenge: challenge,
    })
    const { body } = await read(
      await visitor.send(`/oauth/authorizations/${handle}/approve`, {
        context: { workspace_id: one.id },
      })
    )
    await workspaces.remove(one.id, owner)
    const code = new URL(body.redirect_to).searchParams.get('code')!
    const answer = await postToken(redemption(client, { code, verifier }))
    assert.equal(answer.body.error, 'invalid_grant')
  })

  test('an approval that lost against a removal is refused, and its grant ends', async ({
    assert,
  }) => {
    const { visitor, one, client, owner, workspaces } = await worker()
    const allows = workspaces.allows.bind(workspaces)
    let asked = 0
    /* The removal comes after the check of the choice, and before the grant is stored. */
    workspaces.allows = async (...given) => {
      if (++asked === 3) {
        await workspaces.remove(one.id, owner)
      }
      return allows(...given)
    }
    const { status } = await connect(visitor, client, one.id).finally(() => {
      delete (workspaces as any).allows
    })
    assert.notEqual(status, 200)
    const living = db.from('oauth_grants').where('user_id', owner.userId).whereNull('revoked_at')
    assert.lengthOf(await living, 0)
  })

  test('a person chooses for a device, too', async ({ assert }) => {
    await useDevices()
    const { visitor, one, client } = await worker()
    const { one: foreign } = await worker()
    const { device_code: deviceCode, user_code: userCode } = await beginDevice(client)
    const page = await (await openDevice(visitor, userCode)).text()
    assert.match(page, new RegExp(`<option value="${one.id}"`))
    const decide = (id: number) =>
      decideDevice(visitor, userCode, 'approve', { context: { workspace_id: id } })
    assert.equal((await decide(foreign.id)).status, 400)
    assert.equal((await decide(one.id)).status, 200)
    const { body } = await pollDevice(client, deviceCode)
    assert.deepEqual(await titlesSeenWith(body.access_token), ['one'])
  })

  test('tools of an MCP server work in the workspace of the token', async ({ client, assert }) => {
    const { visitor, one, client: registered } = await worker()
    const call = async (token: string | null, query: string) => {
      const request = client.post('/mcp').json({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'search_posts', arguments: { query } },
      })
      const response = await (token === null ? request : request.bearerToken(token))
      return response.body().result?.structuredContent?.posts.length ?? response.status()
    }
    const more = { resource: `${appUrl}/mcp`, scope: 'mcp:use' }
    const { tokens } = await connect(visitor, registered, one.id, more)
    assert.equal(await call(tokens.access_token, 'one'), 1)
    assert.equal(await call(tokens.access_token, 'two'), 0)
    assert.equal(await call(null, 'one'), 401)
  })

  test('an ID token tells it as well', async ({ assert }) => {
    await useOpenId()
    const { visitor, one } = await worker()
    const client = await registerRelyingParty()
    const restore = await useWorkspaces({ claim: 'workspace' })
    const { tokens } = await connect(visitor, client, one.id, { scope: 'openid' })
    const own = await connect(visitor, client, '', { scope: 'openid' })
    restore()
    assert.equal(decodeJwt(tokens.id_token).workspace, one.slug)
    assert.notProperty(decodeJwt(own.tokens.id_token), 'workspace')
  })

  test('introspection tells the workspace when the setting names a claim', async ({ assert }) => {
    const { visitor, one, client } = await worker()
    const { tokens } = await connect(visitor, client, one.id)
    await work(visitor, one.id)
    const { body: personal } = await read(
      await visitor.send('/oauth/personal-access-tokens', { name: 'script' })
    )
    for (const { access_token: token } of [tokens, personal]) {
      const introspect = async () =>
        (await post('/oauth/introspect', { token, ...credentials(client) })).body
      assert.notProperty(await introspect(), 'workspace')
      const restore = await useWorkspaces({ claim: 'workspace' })
      const told = await introspect()
      restore()
      assert.equal(told.workspace, one.slug)
    }
  })
})
