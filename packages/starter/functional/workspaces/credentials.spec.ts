import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { openPending } from '#starter/helpers/consent'
import { isolate, registerClient } from '#starter/helpers/oauth'
import { wrapForTest } from '#starter/helpers/replace'
import { type Visitor, signedIn } from '#starter/helpers/visitor'
import {
  postIn,
  settler,
  team,
  titlesSeenWith,
  useWorkspaces,
  work,
} from '#starter/helpers/workspaces'

const HTML = { accept: 'text/html' }

/** A person who works in the workspace of a team, with posts in it and in their own. */
async function member() {
  const { user, visitor, owner, workspaces, own } = await settler()
  const boss = await signedIn()
  const shared = await team(boss.user, { member: user }, 'The <team>')
  await postIn(own.id, user, 'own')
  await postIn(shared.id, user, 'shared')
  await work(visitor, shared.id)
  return { user, visitor, owner, shared, workspaces }
}

const KINDS = [
  {
    kind: 'a personal access token',
    home: '/oauth/personal-access-tokens',
    lists: ['/oauth/personal-access-tokens', '/account/access-tokens'],
    make: { name: 'script', scopes: ['posts:read'] },
    of: (body: any) => body.access_token as string,
  },
  {
    kind: 'an API token',
    home: '/api/tokens',
    lists: ['/api/tokens', '/account/tokens'],
    make: { name: 'laptop', abilities: ['posts:read'] },
    of: (body: any) => body.token as string,
  },
]

test.group('Workspaces of tokens that people make', (group) => {
  group.each.setup(isolate)
  group.each.setup(() => useWorkspaces({ common: false }))

  const make = async (visitor: Visitor, { home, make: json, of }: (typeof KINDS)[number]) =>
    of(await (await visitor.send(home, json)).json())

  /** How a person makes a token on its page: as it was when it was opened. */
  function pageOf(visitor: Visitor, { lists: [json, page], make: fields }: (typeof KINDS)[number]) {
    return {
      open: async () => (await visitor.get(page!, { headers: HTML })).text(),
      async count() {
        const body = (await (await visitor.get(json!)).json()) as any
        return (body.tokens ?? body).length
      },
      send(html: string) {
        const [, shown] = /name="workspace_id" value="([^"]*)" \/>\s*<div/.exec(html)!
        const form = new URLSearchParams({
          _token: visitor.csrfToken,
          workspace_id: shown!,
          ttl: '604800',
        })
        for (const [name, value] of Object.entries(fields)) {
          form.append(Array.isArray(value) ? `${name}[]` : name, String(value))
        }
        const headers = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }
        return visitor.post(page!, { body: form.toString(), headers })
      },
    }
  }

  test('the page for {kind} makes none for a workspace that was chosen meanwhile in another tab')
    .with(KINDS)
    .run(async ({ assert }, kind) => {
      const { visitor, shared } = await member()
      const { open, count, send } = pageOf(visitor, kind)
      const stale = await open()
      assert.equal((await send(stale)).status, 302)
      assert.equal(await count(), 1)
      await work(visitor, null)
      await send(stale)
      const again = await open()
      assert.equal(await count(), 1)
      assert.include(again, 'You work in another workspace now. Send the form again')
      assert.include(again, `value="${kind.make.name}"`)
      await send(again)
      assert.equal(await count(), 2)
      await work(visitor, shared.id)
      await send(again)
      assert.equal(await count(), 2)
    })

  test('nor does it for the first team, which was made meanwhile: {kind}')
    .with(KINDS)
    .run(async ({ assert }, kind) => {
      const { visitor, user } = await settler()
      const { open, count, send } = pageOf(visitor, kind)
      const stale = await open()
      await work(visitor, (await team(user)).id)
      await send(stale)
      assert.equal(await count(), 0)
      await work(visitor, null)
      await send(stale)
      assert.equal(await count(), 1)
    })

  test('{kind} is refused for what names no workspace, and made for one that is named as it is')
    .with(KINDS)
    .run(async ({ assert }, { home, make: fields }) => {
      const { visitor, shared } = await member()
      const send = async (named: unknown) =>
        (await visitor.send(home, { ...fields, workspace_id: named })).status
      for (const wrong of [null, '', shared.id + 1, [shared.id], { toString: null }]) {
        assert.equal(await send(wrong), 422, JSON.stringify(wrong))
      }
      assert.equal(await send(shared.id), 201)
      assert.equal(await send(String(shared.id)), 201)
    })

  test('{kind} is for the workspace in which it was made, and for no other')
    .with(KINDS)
    .run(async ({ assert }, kind) => {
      const { visitor } = await member()
      const shared = await make(visitor, kind)
      await work(visitor, null)
      const own = await make(visitor, kind)
      assert.deepEqual(await titlesSeenWith(shared), ['shared'])
      assert.deepEqual(await titlesSeenWith(own), ['own'])
    })

  test('{kind} ends with the membership, and one for another workspace does not')
    .with(KINDS)
    .run(async ({ assert }, kind) => {
      const { visitor, workspaces, shared, owner } = await member()
      const ends = await make(visitor, kind)
      await work(visitor, null)
      const stays = await make(visitor, kind)
      await workspaces.remove(shared.id, owner)
      assert.equal(await titlesSeenWith(ends), 401)
      assert.deepEqual(await titlesSeenWith(stays), ['own'])
    })

  test('{kind} that was stored after the removal of its owner is revoked')
    .with(KINDS)
    .run(async ({ assert }, kind) => {
      const { visitor, workspaces, shared, owner } = await member()
      const allows = workspaces.allows.bind(workspaces)
      workspaces.allows = async (...given) => {
        await workspaces.remove(shared.id, owner)
        return allows(...given)
      }
      await make(visitor, kind).finally(() => delete (workspaces as any).allows)
      const living = db.from('oauth_access_tokens').where('user_id', owner.userId)
      assert.lengthOf(await living.whereNull('revoked_at'), 0)
      assert.lengthOf(await db.from('personal_api_tokens').where('user_id', owner.userId), 0)
    })

  test('who was removed while {kind} was made is told that they may not have it')
    .with(KINDS)
    .run(async ({ assert }, { home, make: json }) => {
      const { visitor, workspaces, shared, owner } = await member()
      wrapForTest(workspaces, 'allows', (allows) => async (...given) => {
        await workspaces.remove(shared.id, owner)
        return allows(...given)
      })
      const answer = await visitor.send(home, json)
      const { error } = (await answer.json()) as any
      assert.deepEqual([answer.status, error], [400, 'access_denied'])
    })

  test('lists and pages name the workspace of {kind}')
    .with(KINDS)
    .run(async ({ assert }, kind) => {
      const { visitor } = await member()
      await make(visitor, kind)
      for (const path of kind.lists) {
        const body = (await (await visitor.get(path)).json()) as any
        assert.equal((body.tokens ?? body)[0].context_name, 'The <team>')
      }
      const page = await (await visitor.get(kind.lists[1]!, { headers: HTML })).text()
      assert.include(page, 'in The &lt;team&gt;')
    })

  test('the page of {kind} names where a person works without a team in their language')
    .with(
      KINDS.flatMap((kind) => [
        { ...kind, common: false, words: 'in Persönlich' },
        { ...kind, common: true, words: 'in Gemeinsam' },
      ])
    )
    .run(async ({ assert }, { common, words, ...kind }) => {
      await useWorkspaces({ common })
      const { user, visitor } = await signedIn()
      await team((await signedIn()).user, { member: user })
      await make(visitor, kind)
      const headers = { ...HTML, 'accept-language': 'de' }
      const page = await (await visitor.get(kind.lists[1]!, { headers })).text()
      assert.include(page, words)
    })

  test('a person without a team reads nothing of workspaces in the list of {kind}')
    .with(KINDS)
    .run(async ({ assert }, kind) => {
      const { visitor } = await signedIn()
      await make(visitor, kind)
      const body = (await (await visitor.get(kind.lists[0]!)).json()) as any
      assert.isNotOk((body.tokens ?? body)[0].context_name)
    })

  test('connected apps are listed with the workspace of each approval', async ({ assert }) => {
    const { visitor, shared } = await member()
    const client = await registerClient()
    for (const json of [{ context: { workspace_id: shared.id } }, {}]) {
      const handle = await openPending(visitor, client, { scope: 'posts:read', prompt: 'consent' })
      await visitor.send(`/oauth/authorizations/${handle}/approve`, json)
    }
    const response = await visitor.get('/account/connected-apps')
    const { connected_apps: apps } = (await response.json()) as any
    assert.sameMembers(
      apps.map((one: any) => one.context_name),
      ['The <team>', 'Personal']
    )
    const page = await (await visitor.get('/account/connected-apps', { headers: HTML })).text()
    assert.include(page, 'in The &lt;team&gt;')
    assert.include(page, 'in Personal')
  })
})
