import app from '@adonisjs/core/services/app'
import mail from '@adonisjs/mail/services/main'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import WorkspaceInvitationMail from '#kit/workspaces/workspace_invitation_mail'
import WorkspaceRemovalMail from '#kit/workspaces/workspace_removal_mail'
import { Background } from '#kit/process/background'
import { limit } from '#starter/helpers/limits'
import { afterReplies, authManager } from '#starter/helpers/passwords'
import { meetForTest, replaceForTest, wrapForTest } from '#starter/helpers/replace'
import { linkOf } from '#starter/helpers/sent_links'
import { travel } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'
import { keyOf, postIn, team, useWorkspaces, work, workspacesOf } from '#starter/helpers/workspaces'

const PAGE = { accept: 'text/html' }

const json = async (visitor: Visitor, path: string) =>
  (await (await visitor.get(path)).json()) as any

/** A team with a person for each role, all of whom work in it. */
async function crew() {
  const [owner, admin, member] = [await signedIn(), await signedIn(), await signedIn()]
  const workspace = await team(owner.user, { admin: admin.user, member: member.user }, 'The <crew>')
  for (const { visitor } of [owner, admin, member]) {
    await work(visitor, workspace.id)
  }
  const members = await (await workspacesOf()).members(workspace.id)
  const idOf = async (one: typeof owner) => {
    const { userId } = await keyOf(one.user)
    return members.find((found) => found.userId === userId)!.id
  }
  return { owner, admin, member, workspace, home: `/w/${workspace.slug}`, idOf }
}

type Crew = Awaited<ReturnType<typeof crew>>

test.group('Pages of workspaces', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  test('a person without a team sees one entry among the pages of the account, and no switcher', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const text = await (await visitor.get('/account', { headers: PAGE })).text()
    assert.lengthOf(text.match(/workspace/gi)!, 2)
    assert.include(text, '<a href="/workspaces"')
  })

  test('a registration makes the workspace of its person', async ({ assert }) => {
    const visitor = new Visitor()
    const account = { email: 'new@example.com', password: FACTORY_PASSWORD }
    await visitor.post('/register', {
      json: { ...account, password_confirmation: FACTORY_PASSWORD },
    })
    await visitor.login(account.email, FACTORY_PASSWORD)
    const { workspaces } = await json(visitor, '/workspaces')
    assert.lengthOf(workspaces, 1)
    assert.deepInclude(workspaces[0], { personal: true, current: true, role: 'owner' })
  })

  test('a new workspace is the current one, and its page is there for its members alone', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const made = await visitor.send('/workspaces', { name: 'Team' })
    assert.equal(made.status, 201)
    const { slug } = (await made.json()) as any
    assert.equal((await json(visitor, `/w/${slug}`)).workspace.role, 'owner')
    const stranger = await signedIn()
    assert.equal((await stranger.visitor.get(`/w/${slug}`)).status, 404)
    assert.equal((await new Visitor().get(`/w/${slug}`)).status, 401)
  })

  test('a form leads to the page of the workspace, or to all of them, with what was done', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const send = async (path: string, form: Record<string, string>) =>
      (await visitor.post(path, { form, headers: PAGE, csrf: true })).headers.get('location')!
    const home = await send('/workspaces', { name: 'Team' })
    assert.match(home, /^\/w\/team-[a-z0-9]{6}$/)
    assert.equal(await send(home, { name: 'Other' }), home)
    const page = await (await visitor.get(home, { headers: PAGE })).text()
    assert.include(page, 'The workspace has a new name.')
    assert.equal(await send('/workspaces/switch', {}), '/workspaces')
  })

  test('the address names the workspace that one works in, or nothing is there', async ({
    assert,
  }) => {
    const { owner, home } = await crew()
    assert.equal((await owner.visitor.get(home)).status, 200)
    await work(owner.visitor, null)
    assert.equal((await owner.visitor.get(home)).status, 404)
  })

  test('pages show members, and the name of the workspace as text', async ({ assert }) => {
    const { owner, home, admin } = await crew()
    const text = await (await owner.visitor.get(home, { headers: PAGE })).text()
    assert.include(text, 'The &lt;crew&gt;')
    assert.notInclude(text, 'The <crew>')
    assert.include(text, admin.user.email)
    for (const path of ['/workspaces', `${home}/log`]) {
      const page = await owner.visitor.get(path, { headers: PAGE })
      assert.equal(page.status, 200)
    }
  })

  test('what changes or removes a member names them to screen readers', async ({ assert }) => {
    const { owner, home, member } = await crew()
    const text = await (await owner.visitor.get(home, { headers: PAGE })).text()
    const { fullName: name } = member.user
    for (const label of [`Role of ${name}`, `Change the role of ${name}`, `Remove ${name}`]) {
      assert.include(text, `aria-label="${label}"`)
    }
  })

  test('{path} is for {allowed} alone')
    .with([
      { path: '', body: { name: 'New' }, allowed: ['owner', 'admin'] },
      {
        path: '/invitations',
        body: { email: 'x@example.com', role: 'member' },
        allowed: ['owner', 'admin'],
      },
      { path: '/transfer', body: { member: 0 }, allowed: ['owner'] },
      { path: '/delete', body: {}, allowed: ['owner'] },
    ] as { path: string; body: Record<string, unknown>; allowed: string[] }[])
    .run(async ({ assert }, { path, body, allowed }) => {
      const { owner, admin, member, home, idOf } = await crew()
      const sent = 'member' in body ? { member: await idOf(member) } : body
      for (const [role, { visitor }] of Object.entries({ member, admin, owner })) {
        const response = await visitor.send(home + path, sent)
        assert.equal(response.status, allowed.includes(role) ? 204 : 403, role)
      }
    })

  test('the log is for those who may read it, and says who did what', async ({ assert }) => {
    const { admin, member, home } = await crew()
    await admin.visitor.send(home, { name: 'New' })
    assert.equal((await member.visitor.get(`${home}/log`)).status, 403)
    const { events } = await json(admin.visitor, `${home}/log`)
    assert.deepInclude(events[0], {
      type: 'workspace_renamed',
      details: { name: 'New' },
      by: admin.user.email,
    })
    const other = await crew()
    const { events: foreign } = await json(other.owner.visitor, `${other.home}/log`)
    assert.lengthOf(foreign, 0)
  })

  test('an admin manages members and admins, and no owner', async ({ assert }) => {
    const { owner, admin, member, home, idOf } = await crew()
    const change = async (one: typeof owner, role: string) => {
      const path = `${home}/members/${await idOf(one)}`
      return (await admin.visitor.send(path, { role })).status
    }
    assert.equal(await change(owner, 'member'), 404)
    assert.equal(await change(member, 'owner'), 422)
    assert.equal(await change(member, 'king'), 422)
    assert.equal(await change(member, 'admin'), 204)
    const removal = await admin.visitor.send(`${home}/members/${await idOf(owner)}/remove`)
    assert.equal(removal.status, 404)
  })

  test('members and invitations are managed by those who may, and their log says so', async ({
    assert,
  }) => {
    const { owner, admin, member, home, workspace, idOf } = await crew()
    const { invitations } = await workspacesOf()
    const email = 'x@example.com'
    await invitations.create(workspace.id, email, 'member')
    const [open] = await invitations.list(workspace.id)
    const path = `members/${await idOf(admin)}`
    const name = admin.user.email
    const acts = [
      [`invitations/${open!.id}/revoke`, {}, 'invitation_revoked', { email }],
      [path, { role: 'member' }, 'role_changed', { name, role: 'member' }],
      [`${path}/remove`, {}, 'member_removed', { name }],
    ] as const
    for (const [{ visitor }, status] of [
      [member, 403],
      [owner, 204],
    ] as const) {
      for (const [act, body] of acts) {
        const response = await visitor.send(`${home}/${act}`, body)
        assert.equal(response.status, status, act)
      }
    }
    await member.visitor.send(`${home}/leave`)
    const { events } = await json(owner.visitor, `${home}/log`)
    assert.deepEqual(
      events.slice(0, 4).map(({ type, details }: any) => [type, details]),
      [['member_left', {}], ...acts.map(([, , type, details]) => [type, details]).toReversed()]
    )
  })

  test('a page says that a member is removed', async ({ assert }) => {
    const { owner, member, home, idOf } = await crew()
    const path = `${home}/members/${await idOf(member)}/remove`
    await owner.visitor.post(path, { form: { sure: '1' }, headers: PAGE, csrf: true })
    const text = await (await owner.visitor.get(home, { headers: PAGE })).text()
    assert.include(text, 'The member is removed.')
  })

  test('a person gives the workspace of their own another name', async ({ assert }) => {
    const { visitor } = await signedIn()
    const own = async () => (await json(visitor, '/workspaces')).workspaces[0]
    await work(visitor, null)
    const { slug } = await own()
    assert.equal((await visitor.send(`/w/${slug}`, { name: 'Mine' })).status, 204)
    assert.containsSubset(await own(), { slug, personal: true, name: 'Mine' })
  })

  test('members of another workspace cannot be managed by their number', async ({ assert }) => {
    const { owner, home } = await crew()
    const other = await crew()
    const path = `${home}/members/${await other.idOf(other.member)}`
    const response = await owner.visitor.send(`${path}/remove`)
    assert.equal(response.status, 404)
    assert.lengthOf(await (await workspacesOf()).members(other.workspace.id), 3)
  })

  test('a person who was removed is told by mail, and works in their own', async ({ assert }) => {
    const { owner, member, home, idOf } = await crew()
    const path = `${home}/members/${await idOf(member)}/remove`
    await afterReplies()
    const { mails } = mail.fake()
    const response = await owner.visitor.send(path)
    await afterReplies()
    const sent = mails.sent((one) => one instanceof WorkspaceRemovalMail)
    mail.restore()
    assert.equal(response.status, 204)
    assert.lengthOf(sent, 1)
    assert.equal((await member.visitor.get(home)).status, 404)
    const { workspaces } = await json(member.visitor, '/workspaces')
    assert.isTrue(workspaces.every(({ personal }: any) => personal))
  })

  test('the page offers the last owner no way to leave, and everybody else one', async ({
    assert,
  }) => {
    const { owner, member, home, idOf } = await crew()
    const pageOf = async ({ visitor }: typeof owner) =>
      (await visitor.get(home, { headers: PAGE })).text()
    assert.notInclude(await pageOf(owner), `${home}/leave"`)
    assert.include(await pageOf(owner), 'You are its only active owner')
    assert.include(await pageOf(member), `${home}/leave"`)
    await owner.visitor.send(`${home}/members/${await idOf(member)}`, { role: 'owner' })
    assert.include(await pageOf(owner), `${home}/leave"`)
    await member.user.merge({ isActive: false }).save()
    assert.notInclude(await pageOf(owner), `${home}/leave"`)
  })

  test('the page offers a workspace to members who are active alone', async ({ assert }) => {
    const { owner, admin, member, home, idOf } = await crew()
    const pageOf = async () => (await owner.visitor.get(home, { headers: PAGE })).text()
    const heirsIn = (page: string) => page.split('<select id="member"')[1] ?? ''
    await admin.user.merge({ isActive: false }).save()
    const heirs = heirsIn(await pageOf())
    assert.include(heirs, `value="${await idOf(member)}"`)
    assert.notInclude(heirs, `value="${await idOf(admin)}"`)
    await member.user.merge({ isActive: false }).save()
    assert.notInclude(await pageOf(), `${home}/transfer"`)
  })

  test('a member without a name is listed by their address, once', async ({ assert }) => {
    const { owner, member, home } = await crew()
    const { user } = member
    const rows = async () => {
      const page = await (await owner.visitor.get(home, { headers: PAGE })).text()
      return page.split('<ul class="rows">')[1]!.split('</ul>')[0]!
    }
    await user.merge({ fullName: null }).save()
    assert.lengthOf((await rows()).split(`>${user.email}<`), 2)
    await user.merge({ fullName: 'Ann' }).save()
    assert.lengthOf((await rows()).split(`>${user.email}<`), 2)
  })

  test('where all owners are deactivated, the page lets members leave', async ({ assert }) => {
    const { owner, member, home } = await crew()
    await owner.user.merge({ isActive: false }).save()
    const page = await (await member.visitor.get(home, { headers: PAGE })).text()
    assert.include(page, `${home}/leave"`)
    assert.notInclude(page, 'only active owner')
  })

  test('the last owner who leaves is told why not: 409', async ({ assert }) => {
    const { owner, member, home } = await crew()
    const leave = (one: typeof owner) => one.visitor.send(`${home}/leave`)
    assert.equal((await leave(owner)).status, 409)
    const form = { sure: '1' }
    const page = await owner.visitor.post(`${home}/leave`, { form, csrf: true, headers: PAGE })
    assert.equal(page.status, 409)
    assert.include(await page.text(), 'A workspace needs an active owner')
    assert.equal((await leave(member)).status, 204)
  })

  test('a deleted workspace is gone for everybody until an owner restores it', async ({
    assert,
  }) => {
    const { owner, member, home, workspace } = await crew()
    await owner.visitor.send(`${home}/delete`)
    assert.equal(await work(member.visitor, workspace.id), 404)
    const isListed = async ({ visitor }: typeof owner) => {
      const { workspaces } = await json(visitor, '/workspaces')
      return workspaces.some(({ id }: any) => id === workspace.id)
    }
    assert.deepEqual([await isListed(owner), await isListed(member)], [true, false])
    const restore = (one: typeof owner) => one.visitor.send(`/workspaces/${workspace.id}/restore`)
    assert.equal((await restore(member)).status, 404)
    assert.equal((await restore(owner)).status, 204)
    assert.equal(await work(member.visitor, workspace.id), 200)
    await work(owner.visitor, workspace.id)
    const { events } = await json(owner.visitor, `${home}/log`)
    assert.equal(events[0].type, 'workspace_restored')
  })

  test('a transfer is in the log, with the new owner', async ({ assert }) => {
    const { owner, member, home, idOf } = await crew()
    const heir = { member: await idOf(member) }
    await owner.visitor.send(`${home}/transfer`, heir)
    const { events } = await json(member.visitor, `${home}/log`)
    assert.equal(events[0].type, 'workspace_transferred')
    assert.deepEqual(events[0].details, { name: member.user.email })
  })

  test('the form of a transfer has the member who was chosen when the person has confirmed', async ({
    assert,
  }) => {
    const { owner, member, home, idOf } = await crew()
    const { visitor } = owner
    const { url } = await visitor.get('/health')
    travel(1000)
    const form = { member: String(await idOf(member)), _token: visitor.csrfToken }
    const headers = { ...PAGE, referer: new URL(home, url).href }
    const refused = await visitor.post(`${home}/transfer`, { form, headers })
    assert.equal(refused.headers.get('location'), '/confirm')
    await visitor.send('/confirm', { password: FACTORY_PASSWORD })
    const page = await (await visitor.get(home, { headers: PAGE })).text()
    assert.include(page, 'press the button once more')
    const options = page.slice(page.indexOf('name="member"'))
    assert.match(options, new RegExp(`value="${form.member}"\\s+selected\\s*>`))
    assert.lengthOf(options.match(/\sselected\s/g)!, 1)
    assert.include(options, `(${member.user.email})</option>`)
  })

  test('whoever makes an owner has confirmed, as for a transfer; other roles are given without', async ({
    assert,
  }) => {
    const { owner, member, home, idOf } = await crew()
    const { visitor } = owner
    const path = `${home}/members/${await idOf(member)}`
    const send = async (to: string, body: object) => {
      return (await visitor.post(to, { json: body, csrf: true })).status
    }
    const invite = (role: string) => send(`${home}/invitations`, { email: 'new@example.com', role })
    travel(1000)
    assert.equal(await invite('admin'), 204)
    assert.equal(await send(path, { role: 'admin' }), 204)
    assert.equal(await invite('owner'), 403)
    assert.equal(await send(path, { role: 'owner' }), 403)
    const { members, invitations } = await json(visitor, home)
    const roles = [...members, ...invitations].map((one: { role: string }) => one.role)
    assert.deepEqual(roles, ['owner', 'admin', 'admin', 'admin'])
    await visitor.post('/confirm', { json: { password: FACTORY_PASSWORD }, csrf: true })
    assert.equal(await invite('owner'), 204)
    assert.equal(await send(path, { role: 'owner' }), 204)
  })

  test('whoever demotes or removes an owner has confirmed; others are managed without', async ({
    assert,
  }) => {
    const { owner, admin, member, home, workspace, idOf } = await crew()
    const { visitor } = owner
    const workspaces = await workspacesOf()
    await workspaces.changeRole(workspace.id, await idOf(admin), 'owner')
    const other = `${home}/members/${await idOf(admin)}`
    const acts = [[other, { role: 'member' }] as const, [`${other}/remove`, {}] as const]
    const rolesNow = async () => (await workspaces.members(workspace.id)).map(({ role }) => role)
    travel(1000)
    for (const [path, body] of acts) {
      const refused = await visitor.send(path, body)
      assert.equal(refused.status, 403)
      assert.equal(((await refused.json()) as any).error, 'confirmation_required')
    }
    assert.deepEqual(await rolesNow(), ['owner', 'owner', 'member'])
    const path = `${home}/members/${await idOf(member)}/remove`
    assert.equal((await visitor.send(path)).status, 204)
    await visitor.send('/confirm', { password: FACTORY_PASSWORD })
    for (const [to, body] of acts) {
      assert.equal((await visitor.send(to, body)).status, 204)
    }
    assert.deepEqual(await rolesNow(), ['owner'])
  })

  test('a role that was chosen for a member is there for them, and not for an invitation, after a sign-in', async ({
    assert,
  }) => {
    const { owner, member, workspace, home, idOf } = await crew()
    const { user, visitor } = owner
    const manager = await authManager()
    const { url } = await visitor.get('/health')
    const id = await idOf(member)
    await manager.feature('sessions')!.destroyAllOf(user, manager.usersOf())
    const refused = await visitor.post(`${home}/members/${id}`, {
      form: { row: String(id), role: 'owner', _token: visitor.csrfToken },
      headers: { ...PAGE, referer: new URL(home, url).href },
    })
    assert.equal(refused.headers.get('location'), '/login')
    const { email } = user
    await visitor.send('/login', { email, password: FACTORY_PASSWORD })
    await work(visitor, workspace.id)
    const page = await (await visitor.get(home, { headers: PAGE })).text()
    const [before, invitation] = page.split('id="role"')
    assert.notMatch(invitation!, /value="owner"\s+selected/)
    const ofMember = before!.slice(before!.indexOf(`name="row" value="${id}"`))
    assert.match(ofMember, /^[^>]*>\s*<select[^>]*>[\s\S]*?value="owner"\s+selected/)
  })

  test('a transfer to oneself is a transfer to no other member: 404, and none is in the log', async ({
    assert,
  }) => {
    const { owner, home, idOf } = await crew()
    const { events: before } = await json(owner.visitor, `${home}/log`)
    const self = { member: await idOf(owner) }
    const answer = await owner.visitor.send(`${home}/transfer`, self)
    assert.equal(answer.status, 404)
    assert.match(await answer.text(), /There is no such member/)
    assert.equal((await json(owner.visitor, home)).workspace.role, 'owner')
    assert.deepEqual((await json(owner.visitor, `${home}/log`)).events, before)
  })

  test('an invitation by mail leads its person to sign in, and into the workspace; no site learns its address, but its form has an origin', async ({
    assert,
  }) => {
    const { owner, home, workspace } = await crew()
    const { user, visitor } = await signedIn()
    const link = await linkOf(WorkspaceInvitationMail, () =>
      owner.visitor.send(`${home}/invitations`, { email: user.email, role: 'member' })
    )
    const { invitations } = await json(owner.visitor, home)
    assert.equal(invitations[0].email, user.email)

    const away = await new Visitor().get(link, { headers: PAGE })
    assert.match(away.headers.get('location')!, /\/login$/)
    const page = await visitor.get(link, { headers: PAGE })
    assert.equal(page.headers.get('referrer-policy'), 'strict-origin')
    assert.include(await page.text(), 'The &lt;crew&gt;')
    assert.equal((await owner.visitor.get(link)).status, 404)
    const accepted = await visitor.send(link)
    assert.equal(accepted.status, 204)
    assert.equal((await json(visitor, `/w/${workspace.slug}`)).workspace.role, 'member')
    assert.equal((await visitor.send(link)).status, 404)
  })

  test('an invitation for another address offers to sign out, and leads back to itself after the next sign-in', async ({
    assert,
  }) => {
    const { owner, workspace } = await crew()
    const { visitor } = owner
    const { user } = await signedIn()
    const { invitations } = await workspacesOf()
    const link = `/invitations/${await invitations.create(workspace.id, user.email, 'member')}`
    const page = await visitor.get(link, { headers: PAGE })
    assert.equal(page.status, 404)
    const text = await page.text()
    const own = text.slice(0, text.indexOf('Use another account')).split('<form').at(-1)!
    assert.include(own, 'action="/logout"')
    const fields = [...own.matchAll(/name="(\w+)" value="([^"]*)"/g)]
    const form = Object.fromEntries(fields.map(([, name, value]) => [name, value]))
    const left = await visitor.post('/logout', { form, headers: PAGE })
    assert.equal(left.headers.get('location'), '/login')
    const signIn = await (await visitor.get('/login', { headers: PAGE })).text()
    assert.include(signIn, 'You are signed out.')
    assert.include(signIn, 'to accept your invitation')
    const again = { email: user.email, password: FACTORY_PASSWORD, _token: visitor.csrfToken }
    const arrived = await visitor.post('/login', { form: again, headers: PAGE })
    assert.equal(arrived.headers.get('location'), link)
    assert.equal((await visitor.get(link, { headers: PAGE })).status, 200)
  })

  test('a sign-out leads back to no page of another site', async ({ assert }) => {
    const { visitor, user } = await signedIn()
    const form = { page: '//elsewhere.example/', _token: visitor.csrfToken }
    await visitor.post('/logout', { form, headers: PAGE })
    const again = { email: user.email, password: FACTORY_PASSWORD, _token: visitor.csrfToken }
    const arrived = await visitor.post('/login', { form: again, headers: PAGE })
    assert.equal(arrived.headers.get('location'), '/account')
  })

  test('a new invitation of a program replaces the one before at once', async ({ assert }) => {
    const { owner, home } = await crew()
    const { user, visitor } = await signedIn()
    const sent = { json: { email: user.email, role: 'member' }, csrf: true }
    const invite = () =>
      linkOf(WorkspaceInvitationMail, () => owner.visitor.post(`${home}/invitations`, sent))
    const [first, second] = [await invite(), await invite()]
    assert.equal((await visitor.get(first)).status, 404)
    assert.equal((await visitor.get(second)).status, 200)
  })

  test('an invitation that is replaced before its mail has gone is not mailed', async ({
    assert,
    cleanup,
  }) => {
    const tasks: (() => Promise<void>)[] = []
    const afterReply = (_: unknown, _what: string, task: () => Promise<void>) => tasks.push(task)
    app.container.swap(Background, () => ({ afterReply }) as unknown as Background)
    cleanup(() => app.container.restore(Background))
    const tokens: string[] = []
    await useWorkspaces({ common: false, invite: ({ token }) => void tokens.push(token) })
    const { owner, home } = await crew()
    const { user } = await signedIn()
    const sent = { json: { email: user.email, role: 'member' }, csrf: true }
    for (let time = 0; time < 2; time++) {
      await owner.visitor.post(`${home}/invitations`, sent)
    }
    assert.lengthOf(tasks, 2)
    for (const task of tasks.reverse()) await task()
    assert.lengthOf(tokens, 1)
    const { invitations } = await workspacesOf()
    assert.equal((await invitations.find(tokens[0]!, user.email)).invitation.email, user.email)
  })

  test('an invitation verifies the address of its person, the first time with the end of what was made before', async ({
    assert,
  }) => {
    const { workspace, home } = await crew()
    const { user, visitor } = await signedIn()
    const { visitor: other } = await signedIn()
    await ApiToken.create(user, { name: 'of before' })
    const accept = async () => {
      const { invitations } = await workspacesOf()
      const token = await invitations.create(workspace.id, user.email, 'member')
      const refused = await other.send(`/invitations/${token}`)
      assert.equal(refused.status, 404)
      return visitor.send(`/invitations/${token}`)
    }
    await user.merge({ emailVerifiedAt: null }).save()
    assert.equal((await accept()).status, 204)
    assert.isNotNull((await user.refresh()).emailVerifiedAt)
    assert.lengthOf(await ApiToken.tokens(user), 0)
    await ApiToken.create(user, { name: 'of now' })
    assert.equal((await visitor.send(`${home}/leave`)).status, 204)
    assert.equal((await accept()).status, 204)
    assert.lengthOf(await ApiToken.tokens(user), 1)
  })

  test('a failure before older access has ended leaves the invitation, and nobody in the workspace', async ({
    assert,
  }) => {
    const { workspace } = await crew()
    const { user, visitor } = await signedIn()
    await user.merge({ emailVerifiedAt: null }).save()
    await ApiToken.create(user, { name: 'of before' })
    const workspaces = await workspacesOf()
    const token = await workspaces.invitations.create(workspace.id, user.email, 'member')
    const { length: before } = await workspaces.members(workspace.id)
    const accept = () => visitor.send(`/invitations/${token}`)

    const { accountAccess } = await authManager()
    const restore = replaceForTest(accountAccess, 'firstArrival', async () => {
      restore()
      throw Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' })
    })
    assert.equal((await accept()).status, 503)
    assert.lengthOf(await workspaces.members(workspace.id), before)

    assert.equal((await accept()).status, 204)
    assert.lengthOf(await ApiToken.tokens(user), 0)
    assert.lengthOf(await workspaces.members(workspace.id), before + 1)
  })

  test('a person makes so many workspaces in an hour, and no more', async ({ assert }) => {
    await limit({ workspaces: { perSubject: { attempts: 2, seconds: 60 } } })
    const { visitor } = (await crew()).owner
    const statuses = []
    while (statuses.length < 3) {
      const { status } = await visitor.send('/workspaces', { name: 'More' })
      statuses.push(status)
    }
    assert.deepEqual(statuses, [201, 201, 429])
  })

  test('many workspaces together send one mailbox no more invitations than one does', async ({
    assert,
  }) => {
    await limit({ verificationMails: { perSubject: { attempts: 2, seconds: 60 } } })
    const sent = { json: { email: 'target@example.com', role: 'member' }, csrf: true }
    const statuses = []
    while (statuses.length < 3) {
      const { owner, home } = await crew()
      const { status } = await owner.visitor.post(`${home}/invitations`, sent)
      statuses.push(status)
    }
    assert.deepEqual(statuses, [204, 204, 429])
  })

  test('a name that looks like an encoded word is none in the subject of its mail', ({
    assert,
  }) => {
    const invitation = { email: 'ann@example.com', token: 'x', days: 7 }
    const { subject } = new WorkspaceInvitationMail({
      ...invitation,
      workspace: '=?utf-8?q?Boss?=',
    })
    assert.equal(subject, 'An invitation to = ?utf-8?q?Boss?= at AdonisJS starter')
  })

  test('a name is one line that keeps its direction: mails to strangers show it', async ({
    assert,
  }) => {
    const { owner, home } = await crew()
    const lines = ['Team\n\nSign in at evil.example', 'Team\u2028next', 'Team\tx']
    for (const name of [...lines, 'Team \u202Emoc.live', 'Team\u2066x']) {
      const sent = { json: { name }, csrf: true }
      assert.equal((await owner.visitor.post('/workspaces', sent)).status, 422, name)
      assert.equal((await owner.visitor.post(home, sent)).status, 422, name)
    }
  })

  test('the address of a workspace has room for every name: {$self}')
    .with(['a'.repeat(80), '&'.repeat(80), '会'.repeat(80)])
    .run(async ({ assert }, name) => {
      const { visitor } = await signedIn()
      const made = await visitor.send('/workspaces', { name })
      assert.equal(made.status, 201)
      const { slug } = (await made.json()) as any
      assert.isAtMost(slug.length, 80)
      assert.equal((await json(visitor, `/w/${slug}`)).workspace.name, name)
    })

  test('an invitation works no more once who sent it {what}')
    .with([
      {
        what: 'was removed',
        lose: async ({ admin, workspace }: Crew) =>
          (await workspacesOf()).remove(workspace.id, await keyOf(admin.user)),
      },
      {
        what: 'may not give its role any more',
        lose: async ({ admin, workspace, idOf }: Crew) =>
          (await workspacesOf()).changeRole(workspace.id, await idOf(admin), 'member'),
      },
      {
        what: 'was deactivated',
        lose: ({ admin }: Crew) => admin.user.merge({ isActive: false }).save(),
      },
    ])
    .run(async ({ assert }, { lose }) => {
      const people = await crew()
      const { admin, owner, workspace, home } = people
      const { user, visitor } = await signedIn()
      const sent = { json: { email: user.email, role: 'admin' }, csrf: true }
      const invite = (by: typeof admin) =>
        linkOf(WorkspaceInvitationMail, () => by.visitor.post(`${home}/invitations`, sent))
      const path = await invite(admin)
      assert.equal((await visitor.get(path)).status, 200)
      await lose(people)
      assert.equal((await visitor.get(path)).status, 404)
      assert.equal((await visitor.send(path)).status, 404)
      const key = await keyOf(user)
      const members = await (await workspacesOf()).members(workspace.id)
      assert.notInclude(
        members.map(({ userId }) => userId),
        key.userId
      )

      /* Of somebody who may, a new one of the same address works. */
      const other = await invite(owner)
      assert.equal((await visitor.send(other)).status, 204)
    })

  test('who is a member already is not invited: no link waits for when they are removed', async ({
    assert,
  }) => {
    const { owner, member, home } = await crew()
    const email = member.user.email.toUpperCase()
    const sent = { json: { email, role: 'member' }, csrf: true }
    const refused = await owner.visitor.post(`${home}/invitations`, sent)
    assert.equal(refused.status, 422)
    const { errors } = (await refused.json()) as any
    assert.deepEqual(errors[0], {
      field: 'email',
      rule: 'member',
      message: 'This person is already a member',
    })
    assert.lengthOf((await json(owner.visitor, home)).invitations, 0)
  })

  test('the form to invite someone has a heading, and the list only with an invitation in it', async ({
    assert,
  }) => {
    const { owner, home } = await crew()
    const headings = async () => {
      const page = await (await owner.visitor.get(home, { headers: PAGE })).text()
      const found = [...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading)
      return found.filter((heading) => /invit/i.test(heading!))
    }
    assert.deepEqual(await headings(), ['Invite someone'])
    const guest = { email: 'guest@example.com', role: 'member' }
    await owner.visitor.send(`${home}/invitations`, guest)
    assert.deepEqual(await headings(), ['Invitations', 'Invite someone'])
  })

  test('a refused invitation keeps what was typed and chosen', async ({ assert }) => {
    const { owner, home } = await crew()
    const sent = { form: { email: 'nobody@', role: 'admin' }, csrf: true, headers: PAGE }
    await owner.visitor.post(`${home}/invitations`, sent)
    const text = await (await owner.visitor.get(home, { headers: PAGE })).text()
    const [, form] = text.split(`action="${home}/invitations"`)
    assert.include(form, 'value="nobody@"')
    assert.match(form!, /<option value="admin"\s+selected/)
  })

  test('a revoked invitation is gone', async ({ assert }) => {
    const { owner, home } = await crew()
    await owner.visitor.send(`${home}/invitations`, { email: 'x@example.com', role: 'member' })
    const { invitations } = await json(owner.visitor, home)
    const path = `${home}/invitations/${invitations[0].id}/revoke`
    assert.equal((await owner.visitor.send(path)).status, 204)
    assert.equal((await owner.visitor.send(path)).status, 404)
    assert.lengthOf((await json(owner.visitor, home)).invitations, 0)
  })

  test('a form that is sent twice shows no page of an error: {0}')
    .with([['accept'], ['leave'], ['delete'], ['remove a member'], ['revoke']] as const)
    .run(async ({ assert }, [what]) => {
      const { owner, admin, member, home, workspace, idOf } = await crew()
      const { user, visitor } = await signedIn()
      const { invitations } = await workspacesOf()
      const token = await invitations.create(workspace.id, user.email, 'member')
      const [open] = await invitations.list(workspace.id)
      const [who, path, page] = {
        'accept': [visitor, `/invitations/${token}`, home],
        'leave': [member.visitor, `${home}/leave`, '/workspaces'],
        'delete': [owner.visitor, `${home}/delete`, '/workspaces'],
        'remove a member': [admin.visitor, `${home}/members/${await idOf(member)}/remove`, home],
        'revoke': [admin.visitor, `${home}/invitations/${open!.id}/revoke`, home],
      }[what] as [Visitor, string, string]
      for (const click of ['first', 'second']) {
        const form = { sure: '1' }
        const { status, headers } = await who.post(path, { form, csrf: true, headers: PAGE })
        assert.deepEqual([status, headers.get('location')], [302, page], click)
      }
      assert.equal((await who.get(page, { headers: PAGE })).status, 200)
    })

  test('two clicks on an invitation at once both lead to its workspace', async ({ assert }) => {
    const { workspace, home } = await crew()
    const { user, visitor } = await signedIn()
    const { invitations } = await workspacesOf()
    const link = `/invitations/${await invitations.create(workspace.id, user.email, 'member')}`
    meetForTest(invitations, 'accept')
    const click = () => visitor.post(link, { form: {}, csrf: true, headers: PAGE })
    const answers = await Promise.all([click(), click()])
    const places = answers.map(({ headers }) => headers.get('location'))
    assert.sameMembers(places, [home, link])
    const page = await visitor.get(link, { headers: PAGE })
    assert.equal(page.headers.get('location'), home)
  })

  test('an invitation to a workspace that goes with the account of its last member is 404', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const { id, slug } = await team(user)
    await work(visitor, id)
    const workspaces = await workspacesOf()
    const { invitations } = workspaces
    wrapForTest(invitations, 'create', (create) => async (...asked) => {
      await workspaces.forget(user, (await authManager()).usersOf())
      return create(...asked)
    })
    const fields = { email: 'guest@example.com', role: 'member' }
    const answer = await visitor.send(`/w/${slug}/invitations`, fields)
    assert.equal(answer.status, 404)
  })

  test('the link of an invitation leads who has accepted it to the workspace, and nobody else', async ({
    assert,
  }) => {
    const { workspace, home } = await crew()
    const [ann, bob] = [await signedIn(), await signedIn()]
    const { invitations } = await workspacesOf()
    const link = `/invitations/${await invitations.create(workspace.id, ann.user.email, 'member')}`
    await ann.visitor.send(link)
    const again = await ann.visitor.get(link, { headers: PAGE })
    assert.equal(again.headers.get('location'), home)
    assert.equal((await ann.visitor.get(`${link}x`, { headers: PAGE })).status, 404)
    const refused = await bob.visitor.get(link, { headers: PAGE })
    assert.equal(refused.status, 404)
    assert.include(await refused.text(), 'Sign in with the address that it was sent to')
  })

  test('the link of an accepted invitation leads to no other workspace', async ({ assert }) => {
    const { workspace, home } = await crew()
    const { user, visitor } = await signedIn()
    const { invitations } = await workspacesOf()
    const link = `/invitations/${await invitations.create(workspace.id, user.email, 'member')}`
    await visitor.send(link)
    await work(visitor, null)
    const again = await visitor.get(link, { headers: PAGE })
    assert.equal(again.headers.get('location'), home)
    const elsewhere = await visitor.get(home, { headers: PAGE })
    assert.equal(elsewhere.headers.get('location'), '/workspaces')
  })

  test('a form of a workspace that its person has left says so', async ({ assert }) => {
    const { member, home } = await crew()
    await member.visitor.send(`${home}/leave`)
    const form = { name: 'Another' }
    const response = await member.visitor.post(home, { form, csrf: true, headers: PAGE })
    assert.equal(response.headers.get('location'), '/workspaces')
    const page = await (await member.visitor.get('/workspaces', { headers: PAGE })).text()
    assert.include(page, 'You do not work in this workspace now.')
    assert.equal((await member.visitor.get(home, { headers: PAGE })).status, 404)
  })

  test('a page of a team that its member does not work in now leads to the list of teams', async ({
    assert,
  }) => {
    const { member, owner, workspace, home } = await crew()
    await work(member.visitor, null)
    const asked = await member.visitor.get(`${home}?tab=1`, { headers: PAGE })
    assert.equal(asked.headers.get('location'), '/workspaces')
    const page = await (await member.visitor.get('/workspaces', { headers: PAGE })).text()
    assert.include(page, 'You do not work in this workspace now.')
    assert.equal((await member.visitor.get(home)).status, 404)
    await (await workspacesOf()).delete(workspace.id)
    assert.equal((await owner.visitor.get(home, { headers: PAGE })).status, 404)
  })

  test('a page of an address that no team can have is not there', async ({ assert }) => {
    const { member } = await crew()
    for (const slug of ['%00', "'"]) {
      const { status } = await member.visitor.get(`/w/${slug}`, { headers: PAGE })
      assert.equal(status, 404, slug)
    }
  })

  test('a look at the address of another team tells nothing, and leaves no message', async ({
    assert,
  }) => {
    const { owner } = await crew()
    const other = await team((await signedIn()).user, {}, 'Elsewhere')
    for (const method of ['GET', 'HEAD']) {
      const { status } = await owner.visitor.request(method, `/w/${other.slug}`, { headers: PAGE })
      assert.equal(status, 404, method)
    }
    const page = await owner.visitor.get('/workspaces', { headers: PAGE })
    assert.notInclude(await page.text(), 'role="alert"')
  })

  test('a person with a team has a switcher on every page', async ({ assert }) => {
    const { owner } = await crew()
    const text = await (await owner.visitor.get('/', { headers: PAGE })).text()
    assert.include(text, 'action="/workspaces/switch"')
  })

  test('a visitor sees the start page, without the posts of any workspace', async ({ assert }) => {
    const { user } = await signedIn()
    await postIn((await team(user)).id, user, 'A post of the team')
    const response = await new Visitor().get('/', { headers: PAGE })
    assert.equal(response.status, 200)
    assert.notInclude(await response.text(), 'A post of the team')
  })

  test('the switcher of a person who has chosen no workspace is named so', async ({ assert }) => {
    await useWorkspaces({ common: true })
    const { user, visitor } = await signedIn()
    await team(user)
    const text = await (await visitor.get('/', { headers: PAGE })).text()
    assert.match(text, /<span>Workspaces<\/span>/)
  })

  test('everything that changes something needs the CSRF token', async ({ assert }) => {
    const { owner, home } = await crew()
    for (const path of ['/workspaces', '/workspaces/switch', home, `${home}/delete`]) {
      assert.equal((await owner.visitor.post(path, { json: { name: 'x' } })).status, 403, path)
    }
  })
})

/* Without a transaction for the whole test, in which each would undo what another one has done. */
test.group('Clicks on a form of a workspace', (group) => {
  group.each.setup(() => useWorkspaces({ common: false }))

  test(
    'a form that is sent six times at once shows no page of an error, and is in the log once: {0}'
  )
    .with([
      ['rename', 'workspace_renamed'],
      ['invite', 'member_invited'],
      ['give a role', 'role_changed'],
      ['leave', 'member_left'],
      ['remove a member', 'member_removed'],
      ['delete', 'workspace_deleted'],
    ] as const)
    .run(async ({ assert }, [what, type]) => {
      const sent: { email: string }[] = []
      const guest = `g${Date.now()}@example.com`
      await useWorkspaces({ invite: (invitation) => void sent.push(invitation) })
      const { owner, admin, member, home, workspace, idOf } = await crew()
      const members = `${home}/members/${await idOf(member)}`
      const [who, path, form] = {
        'rename': [owner.visitor, home, { name: 'Another name' }],
        'invite': [admin.visitor, `${home}/invitations`, { email: guest, role: 'member' }],
        'give a role': [owner.visitor, members, { role: 'admin' }],
        'leave': [member.visitor, `${home}/leave`, {}],
        'remove a member': [admin.visitor, `${members}/remove`, {}],
        'delete': [owner.visitor, `${home}/delete`, {}],
      }[what] as [Visitor, string, Record<string, string>]
      const answers = await Promise.all(
        Array.from({ length: 6 }, () =>
          who.post(path, { form: { sure: '1', ...form }, csrf: true, headers: PAGE })
        )
      )
      assert.deepEqual(
        answers.map(({ status }) => status),
        Array(6).fill(302)
      )
      const log = (await authManager()).feature('securityLog')!
      const events = await log.about!(`workspace:${workspace.id}`, 100)
      assert.lengthOf(
        events.filter((event) => event.type === type),
        1
      )
      await afterReplies()
      const invited = sent.filter(({ email }) => email === guest)
      assert.lengthOf(invited, what === 'invite' ? 1 : 0)
    })
})
