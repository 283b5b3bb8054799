import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { CLIENT_SECRET } from '#starter/helpers/fake_provider'
import { fieldsOf, records, useOrganisations, verify } from '#starter/helpers/organisations'
import { limit } from '#starter/helpers/limits'
import { authManager } from '#starter/helpers/passwords'
import { replaceForTest, wrapForTest } from '#starter/helpers/replace'
import { person as identity, signIn } from '#starter/helpers/social'
import { OpenIdProvider } from '#kit/social/providers/open_id'
import { stopClock } from '#starter/helpers/time'
import { Workspace } from '#kit/workspaces/models'
import { isSignedIn, signedIn } from '#starter/helpers/visitor'
import { team, useWorkspaces, work, workspacesOf } from '#starter/helpers/workspaces'

const PAGE = { accept: 'text/html' }

/** What happens while the name servers are asked. */
let meanwhile: () => Promise<unknown> = async () => {}

/** A team whose people work in it, and what the provider of the tests is called by. */
async function setUp() {
  const resolveTxt = async (name: string) => {
    await meanwhile()
    return records.get(name) ?? []
  }
  const social = await useOrganisations({ resolveTxt })
  const [owner, admin, member] = [await signedIn(), await signedIn(), await signedIn()]
  const workspace = await team(owner.user, { admin: admin.user, member: member.user })
  for (const { visitor } of [owner, admin, member]) {
    await work(visitor, workspace.id)
  }
  const { domain, issuer, clientId } = fieldsOf(social)
  const json = { domain, issuer, client_id: clientId, client_secret: CLIENT_SECRET }
  const home = `/w/${workspace.slug}/providers`
  return { ...social, owner, admin, member, workspace, home, json }
}

async function added({ admin, home, json }: Awaited<ReturnType<typeof setUp>>) {
  const response = await admin.visitor.send(home, json)
  const row = (await response.json()) as any
  const { name, value } = row.txt_record
  records.set(name, [value])
  return row
}

test.group('Identity providers of a workspace', (group) => {
  group.each.setup(() => useWorkspaces({ common: false }))

  test('an admin adds one, verifies its domain, forbids passwords and removes it; the log says so', async ({
    assert,
  }) => {
    const crew = await setUp()
    const { admin, owner, home, domain, workspace } = crew
    const row = await added(crew)
    assert.containsSubset(row, { domain, verified: false, forbids_password: false })
    assert.include(row.redirect_uri, `/auth/${row.name}/callback`)
    assert.notInclude(JSON.stringify(row), CLIENT_SECRET)

    assert.equal((await admin.visitor.send(`${home}/${row.id}/verify`)).status, 204)
    const forbid = { forbid_password: true }
    assert.equal((await admin.visitor.send(`${home}/${row.id}/enforce`, forbid)).status, 204)
    const list = (await (await admin.visitor.get(home)).json()) as any
    assert.containsSubset(list.providers, [{ id: row.id, verified: true, forbids_password: true }])
    const page = await (await owner.visitor.get(home, { headers: PAGE })).text()
    assert.include(page, domain)
    assert.notInclude(page, CLIENT_SECRET)

    assert.equal((await admin.visitor.send(`${home}/${row.id}/remove`)).status, 204)
    const log = (await (await owner.visitor.get(`/w/${workspace.slug}/log`)).json()) as any
    assert.includeMembers(
      log.events.map((event: any) => event.type),
      [
        'workspace_provider_added',
        'workspace_provider_verified',
        'workspace_passwords_forbidden',
        'workspace_provider_removed',
      ]
    )
  })

  test('whoever adds one on the page, or allows passwords again, is told so, and the log says it', async ({
    assert,
  }) => {
    const crew = await setUp()
    const { admin, owner, home, json, workspace } = crew
    const sent = async (path: string, form: Record<string, string>) => {
      const response = await admin.visitor.post(path, { form, csrf: true, headers: PAGE })
      assert.equal(response.headers.get('location'), home)
      return (await admin.visitor.get(home, { headers: PAGE })).text()
    }
    assert.include(await sent(home, json), 'The provider is added. Now verify the domain.')
    const { providers } = (await (await admin.visitor.get(home)).json()) as any
    const allowed = await sent(`${home}/${providers[0].id}/enforce`, { forbid_password: '0' })
    assert.include(allowed, 'People of the domain may use passwords again.')
    const log = (await (await owner.visitor.get(`/w/${workspace.slug}/log`)).json()) as any
    assert.include(
      log.events.map((event: any) => event.type),
      'workspace_passwords_allowed'
    )
  })

  test('adding and verifying ask servers that somebody else has named: so often in an hour, and no more', async ({
    assert,
  }) => {
    const crew = await setUp()
    const { admin, home } = crew
    await limit({ workspaces: { perSubject: { attempts: 3, seconds: 60 } } })
    const { id } = await added(crew)
    const statuses = []
    while (statuses.length < 3) {
      const { status } = await admin.visitor.send(`${home}/${id}/verify`)
      statuses.push(status)
    }
    assert.deepEqual(statuses, [204, 204, 429])
    assert.equal((await admin.visitor.send(home, crew.json)).status, 429)
  })

  test('one that is gone is removed without an error on the page; a program is told', async ({
    assert,
  }) => {
    const crew = await setUp()
    const { id } = await added(crew)
    const path = `${crew.home}/${id}/remove`
    const remove = () =>
      crew.admin.visitor.post(path, { form: { sure: '1' }, csrf: true, headers: PAGE })
    assert.equal((await remove()).headers.get('location'), crew.home)
    assert.equal((await remove()).headers.get('location'), crew.home)
    assert.equal((await crew.admin.visitor.send(path)).status, 404)
  })

  test('a member may do none of it, and people of other workspaces find nothing', async ({
    assert,
  }) => {
    const crew = await setUp()
    const { id } = await added(crew)
    const { member, home, json } = crew
    const stranger = await signedIn()
    const other = await team(stranger.user)
    await work(stranger.visitor, other.id)
    const theirs = `/w/${other.slug}/providers`
    const forbid = { forbid_password: true }
    assert.equal((await member.visitor.get(home)).status, 403)
    assert.equal((await stranger.visitor.get(home)).status, 404)
    for (const [path, body] of [
      ['', json],
      [`/${id}/verify`, {}],
      [`/${id}/enforce`, forbid],
      [`/${id}/remove`, {}],
    ] as const) {
      assert.equal((await member.visitor.send(home + path, body)).status, 403)
      assert.equal((await stranger.visitor.send(home + path, body)).status, 404)
      if (path) {
        assert.equal((await stranger.visitor.send(theirs + path, body)).status, 404)
      }
    }
    assert.lengthOf(await db.from('organisation_providers'), 1)
  })

  test('a confirmation that is too old is asked for anew', async ({ assert }) => {
    const tick = stopClock()
    const { owner, home, json } = await setUp()
    tick(1000)
    const response = await owner.visitor.send(home, json)
    assert.equal(response.status, 403)
    assert.equal(((await response.json()) as any).error, 'confirmation_required')
  })

  test('the workspace of one person has none', async ({ assert }) => {
    const { json } = await setUp()
    const { visitor } = await signedIn()
    const { workspaces } = (await (await visitor.get('/workspaces')).json()) as any
    const response = await visitor.send(`/w/${workspaces[0].slug}/providers`, json)
    assert.equal(response.status, 409)
  })

  test('what is wrong is said at its field', async ({ assert }) => {
    const { owner, home, json } = await setUp()
    for (const [field, wrong] of [
      ['domain', { domain: 'gmail.com' }],
      ['domain', { domain: '' }],
      ['issuer', { issuer: 'http://127.0.0.1:1' }],
      ['client_secret', { client_secret: '' }],
    ] as const) {
      const response = await owner.visitor.send(home, { ...json, ...wrong })
      assert.equal(response.status, 422)
      assert.equal(((await response.json()) as any).errors[0].field, field)
    }
  })

  test('a record that is missing, and a domain that another workspace holds, are said', async ({
    assert,
  }) => {
    const first = await setUp()
    const { admin, home, organisations, domain } = first
    const row = await added(first)
    const held = await organisations.add(fieldsOf(first), null)
    const ruleOf = async () => {
      const response = await admin.visitor.send(`${home}/${row.id}/verify`)
      const { errors } = (await response.json()) as any
      return errors[0].rule
    }
    await verify(organisations, held)
    assert.equal(await ruleOf(), 'domainRecord')
    records.set(row.txt_record.name, [row.txt_record.value])
    assert.equal(await ruleOf(), 'domainTaken')
    await admin.visitor.post(`${home}/${row.id}/verify`, { csrf: true, headers: PAGE })
    const page = await (await admin.visitor.get(home, { headers: PAGE })).text()
    assert.include(page, 'Another provider is verified for this domain')
    assert.include(page, domain)
  })

  test(
    'whoever is removed while other servers are asked adds, replaces and verifies nothing: {$self}'
  )
    .with(['add', 'replace', 'verify'])
    .run(async ({ assert, cleanup }, what) => {
      const crew = await setUp()
      const { admin, home, json, workspace } = crew
      const row = what === 'add' ? null : await added(crew)
      const workspaces = await workspacesOf()
      const [, { userId, provider }] = (await workspaces.members(workspace.id)) as any
      const remove = () => workspaces.remove(workspace.id, { userId, provider })
      const { probe } = OpenIdProvider.prototype
      replaceForTest(OpenIdProvider.prototype, 'probe', async function (this: OpenIdProvider) {
        await remove()
        return probe.call(this)
      })
      cleanup(() => void (meanwhile = async () => {}))
      meanwhile = remove
      const path = what === 'verify' ? `${home}/${row.id}/verify` : home
      const fields = { ...json, client_id: 'of somebody who is gone' }
      assert.equal((await admin.visitor.send(path, fields)).status, 404)
      const rows = await crew.organisations.list(workspace.id)
      assert.deepEqual(
        rows.map(({ clientId, verifiedDomain }) => [clientId, verifiedDomain]),
        row ? [[json.client_id, null]] : []
      )
    })

  test('nothing is added while the workspace is deleted', async ({ assert }) => {
    const { owner, admin, home, json, workspace } = await setUp()
    const { probe } = OpenIdProvider.prototype
    replaceForTest(OpenIdProvider.prototype, 'probe', async function (this: OpenIdProvider) {
      await owner.visitor.send(`/w/${workspace.slug}/delete`)
      return probe.call(this)
    })
    assert.equal((await admin.visitor.send(home, json)).status, 404)
    assert.lengthOf(await db.from('organisation_providers'), 0)
  })

  test('one that is removed while its domain is verified is not there', async ({ assert }) => {
    const crew = await setUp()
    const { admin, home, organisations } = crew
    const row = await added(crew)
    wrapForTest(organisations, 'verify', (verifyRow) => async (found, commit) => {
      await organisations.remove(found)
      return verifyRow(found, commit)
    })
    const response = await admin.visitor.send(`${home}/${row.id}/verify`)
    assert.equal(response.status, 422)
    assert.include(await response.text(), 'has just removed this provider')
  })

  test('whoever is demoted before a provider is removed removes none, and signs nobody out', async ({
    assert,
  }) => {
    const crew = await setUp()
    const { admin, workspace, home, organisations } = crew
    const row = await added(crew)
    await admin.visitor.send(`${home}/${row.id}/verify`)
    const ann = identity({ email: `ann@${row.domain}` })
    const mails = { provider: crew.provider, mails: crew.mails }
    const { visitor } = await signIn(mails, ann, { path: `/auth/${row.name}` })
    const workspaces = await workspacesOf()
    const members = await workspaces.members(workspace.id)
    const { id } = members.find(({ userId }) => userId === String(admin.user.id))!
    wrapForTest(organisations, 'get', (get) => async (...parameters) => {
      await workspaces.changeRole(workspace.id, id, 'member')
      return get(...parameters)
    })
    assert.equal((await admin.visitor.send(`${home}/${row.id}/remove`)).status, 403)
    assert.isTrue(await isSignedIn(visitor))
    assert.lengthOf(await organisations.list(workspace.id), 1)
  })

  test('one that many requests remove at once is removed once', async ({ assert }) => {
    const crew = await setUp()
    const { admin, home } = crew
    const row = await added(crew)
    const remove = () => admin.visitor.send(`${home}/${row.id}/remove`, { sure: '1' })
    const answers = await Promise.all([remove(), remove(), remove()])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404])
  })

  test('with the workspace its providers go, and the sessions that came from them', async ({
    assert,
  }) => {
    const crew = await setUp()
    const { owner, workspace, home, admin } = crew
    const row = await added(crew)
    await admin.visitor.send(`${home}/${row.id}/verify`)
    const ann = identity({ email: `ann@${row.domain}` })
    const mails = { provider: crew.provider, mails: crew.mails }
    const { visitor } = await signIn(mails, ann, { path: `/auth/${row.name}` })
    assert.isTrue(await isSignedIn(visitor))
    assert.equal((await owner.visitor.send(`/w/${workspace.slug}/delete`)).status, 204)
    assert.isFalse(await isSignedIn(visitor))
    assert.lengthOf(await db.from('organisation_providers'), 0)
    assert.isDefined(await workspacesOf())
  })

  test('a deletion that stops half-way leaves none that is trusted, and one that is refused ends none', async ({
    assert,
  }) => {
    const crew = await setUp()
    const { organisations, owner, admin, workspace } = crew
    await organisations.add(fieldsOf(crew), workspace.id)
    const path = `/w/${workspace.slug}/delete`
    assert.equal((await admin.visitor.send(path)).status, 403)
    assert.lengthOf(await db.from('organisation_providers'), 1)
    wrapForTest(organisations, 'list', (list) => async (scope) => {
      const { deletedAt } = await Workspace.findOrFail(workspace.id)
      assert.isNull(deletedAt)
      return list(scope)
    })
    assert.equal((await owner.visitor.send(path)).status, 500)
    assert.lengthOf(await db.from('organisation_providers'), 0)
  })

  test('with the account of the last member they go, too', async ({ assert }) => {
    const crew = await setUp()
    await crew.organisations.add(fieldsOf(crew), crew.workspace.id)
    const workspaces = await workspacesOf()
    const manager = await authManager()
    const users = manager.usersOf()
    for (const { userId } of await workspaces.members(crew.workspace.id)) {
      assert.lengthOf(await db.from('organisation_providers'), 1)
      await workspaces.forget(await users.find(userId), users)
    }
    assert.lengthOf(await db.from('organisation_providers'), 0)
  })

  test('one that was being added while the workspace was deleted goes with its rows', async ({
    assert,
  }) => {
    const tick = stopClock()
    const crew = await setUp()
    const { organisations, owner, workspace } = crew
    assert.equal((await owner.visitor.send(`/w/${workspace.slug}/delete`)).status, 204)
    await organisations.add(fieldsOf(crew), workspace.id)
    const workspaces = await workspacesOf()
    tick((workspaces.config.restoreDays + 1) * 24 * 60 * 60)
    await workspaces.purge()
    assert.lengthOf(await db.from('organisation_providers'), 0)
  })
})
