import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { Users } from '#kit/auth/users'
import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { SessionService } from '#kit/session/session_service'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import { keepLog } from '#starter/helpers/log_lines'
import { isolate } from '#starter/helpers/oauth'
import { registerRelyingParty, signInTo, useOpenId, verified } from '#starter/helpers/openid'
import { replaceForTest } from '#starter/helpers/replace'
import { recordStatements } from '#starter/helpers/statements'
import { stopClock } from '#starter/helpers/time'
import { signedIn } from '#starter/helpers/visitor'

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** A client's endpoint, the tokens that it got, and the status that it answers. */
function endpoint(site: DocumentServer, path = '/logout') {
  const told: string[] = []
  const requests: IncomingMessage[] = []
  const answer = { status: 200 }
  const uri = site.handle(path, (request: IncomingMessage, response: ServerResponse) => {
    void text(request).then((body) => {
      requests.push(request)
      told.push(new URLSearchParams(body).get('logout_token')!)
      response.writeHead(answer.status).end()
    })
  })
  return { uri, told, requests, answer }
}

test.group('Back-channel logout (OpenID Connect Back-Channel Logout 1.0)', (group) => {
  const site = new DocumentServer()
  group.each.setup(isolate)
  group.each.setup(() => site.start())

  /** Somebody who has signed in to a client that wants to hear of it. */
  async function person() {
    useTestFetcher()
    const server = await useOpenId()
    const client = endpoint(site)
    const { visitor, user } = await signedIn()
    const party = await registerRelyingParty({ backchannelLogoutUri: client.uri })
    const { id_token: idToken } = await signInTo(visitor, party)
    return { server, visitor, user, party, idToken, ...client }
  }

  const settled = (server: AuthorizationServer) => server.openid!.backChannel.settled()
  const rows = () => db.from('oauth_client_sessions')

  test('§2.4 a logout is told with a signed token that names the session and the user', async ({
    assert,
  }) => {
    const { server, visitor, user, party, idToken, told, requests } = await person()
    assert.lengthOf(await rows(), 1)
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 1)
    const { claims, header } = await verified(told[0]!, { audience: party.id })
    assert.equal(header.typ, 'logout+jwt')
    assert.equal(claims.sub, String(user.id))
    assert.equal(claims.sid, decodeJwt(idToken).sid)
    assert.deepEqual(claims.events, { [EVENT]: {} })
    assert.notProperty(claims, 'nonce')
    assert.isString(claims.jti)
    assert.equal(claims.exp, claims.iat! + 120)
    assert.equal(requests[0]!.method, 'POST')
    assert.equal(requests[0]!.headers['content-type'], 'application/x-www-form-urlencoded')
    assert.lengthOf(await rows(), 0)
  })

  test('only the clients of the session that ends are told', async ({ assert }) => {
    const { server, visitor, user, party, told } = await person()
    const other = endpoint(site, '/other')
    const second = await registerRelyingParty({ backchannelLogoutUri: other.uri })
    const { visitor: phone } = await signedIn(user)
    await signInTo(phone, party)
    await signInTo(phone, second)
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 1)
    assert.lengthOf(other.told, 0)
    await phone.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 2)
    assert.lengthOf(other.told, 1)
  })

  test('a session of somebody with an equal id of another user provider lives on', async ({
    assert,
  }) => {
    const { server, visitor, told } = await person()
    const { manager } = server
    const { provider, hasher } = manager.users('users')
    const admins = new Users('admins', provider, hasher)
    const sessions = manager.feature('sessions')!
    const { users, hasUsers } = manager
    const { liveLogins } = sessions
    const [row] = await rows()
    const theirs = { ...row, sid: 'of an admin', provider: 'admins' }
    await db.table('oauth_client_sessions').insert(theirs)
    manager.users = (name) => (name === 'admins' ? admins : users.call(manager, name))
    manager.hasUsers = (name) => name === 'admins' || hasUsers.call(manager, name)
    sessions.liveLogins = async (id, of) =>
      of === admins
        ? new Map([[theirs.sid, Number(theirs.expires_at)]])
        : liveLogins.call(sessions, id, of)
    getActiveTest()!.cleanup(() => {
      Object.assign(manager, { users, hasUsers })
      Reflect.deleteProperty(sessions, 'liveLogins')
    })
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 1)
    assert.deepEqual(
      (await rows()).map(({ sid }) => sid),
      [theirs.sid]
    )
  })

  test('a session that is ended from the list of sessions, or with all of them, is told', async ({
    assert,
  }) => {
    const { server, visitor, user, party, told } = await person()
    const { visitor: phone } = await signedIn(user)
    await signInTo(phone, party)
    await visitor.send('/account/sessions/end-others')
    await settled(server)
    assert.lengthOf(told, 1)
    await server.manager.feature('sessions')!.destroyAllOf(user, server.manager.users('users'))
    await settled(server)
    assert.lengthOf(told, 2)
  })

  test('a session that reaches its end is told', async ({ assert }) => {
    const tick = stopClock()
    const { server, told } = await person()
    server.openid!.backChannel.deliverDue()
    await settled(server)
    assert.lengthOf(told, 0)
    tick(7200)
    server.openid!.backChannel.deliverDue()
    await settled(server)
    assert.lengthOf(told, 1)
  })

  test('a session that was idle for too long is told at the next look, one in use is not', async ({
    assert,
  }) => {
    const { config } = await app.container.make(SessionService)
    replaceForTest(config, 'idleTtl', 600)
    const tick = stopClock()
    const { server, visitor, user, party, idToken, told } = await person()
    const { visitor: phone } = await signedIn(user)
    await signInTo(phone, party)
    const look = async (seconds: number) => {
      tick(seconds)
      server.openid!.backChannel.deliverDue()
      await settled(server)
    }
    await look(599)
    await phone.get('/api/me')
    assert.lengthOf(told, 0)
    await look(1)
    assert.deepEqual(
      told.map((token) => decodeJwt(token).sid),
      [decodeJwt(idToken).sid]
    )
    assert.equal((await visitor.get('/api/me')).status, 401)
    assert.isEmpty(await server.clientSessions.findLapsed(Date.now(), 1), 'its end is known anew')
    await look(598)
    assert.lengthOf(told, 1)
    await look(1)
    assert.lengthOf(told, 2)
    assert.lengthOf(await rows(), 0)
  })

  test('a client that fails is told again, later and later, and not for ever', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { server, visitor, party, told, answer } = await person()
    const log = keepLog()
    answer.status = 503
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    const waits = [30, 120, 600, 3600]
    for (const [index, wait] of waits.entries()) {
      assert.lengthOf(told, index + 1)
      tick(wait - 1)
      server.openid!.backChannel.deliverDue()
      await settled(server)
      assert.lengthOf(told, index + 1)
      tick(1)
      server.openid!.backChannel.deliverDue()
      await settled(server)
    }
    assert.lengthOf(told, 5)
    assert.lengthOf(await rows(), 0)
    assert.lengthOf(log().split(`'Cannot tell the client ${party.id} of a logout'`), 2)
    assert.lengthOf(new Set(told.map((token) => decodeJwt(token).jti)), 5)
  })

  test('the first failure of a client is one line in the log, without the token', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { server, visitor, party, told, answer } = await person()
    const log = keepLog()
    const isSaid = () => log().split('of a logout yet').length - 1
    answer.status = 503
    await signInTo(visitor, party)
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    assert.equal(isSaid(), 1)
    assert.include(log(), `Cannot tell the client ${party.id}`)
    assert.include(log(), 'the status is 503')
    assert.notInclude(log(), told[0]!)
    tick(30)
    server.openid!.backChannel.deliverDue()
    await settled(server)
    assert.equal(isSaid(), 1)
    answer.status = 200
    tick(120)
    server.openid!.backChannel.deliverDue()
    await settled(server)
    assert.lengthOf(await rows(), 0)

    answer.status = 503
    const { visitor: another } = await signedIn()
    await signInTo(another, party)
    await another.post('/logout', { csrf: true })
    await settled(server)
    assert.equal(isSaid(), 2, 'it had answered meanwhile')
  })

  test('a look that finds no end writes nothing', async ({ assert }) => {
    const { server } = await person()
    const statements = await recordStatements(async () => {
      server.openid!.backChannel.deliverDue()
      await settled(server)
    })
    assert.isEmpty(statements.filter((sql) => /^update/i.test(sql)))
  })

  test('clients that do not answer keep no other client waiting', async ({ assert }) => {
    const { server, visitor } = await person()
    const told = Promise.withResolvers<void>()
    site.handle('/logout', (_request, response) => {
      response.writeHead(204).end()
      told.resolve()
    })
    const people = 8
    const waiting: ServerResponse[] = []
    const allWait = Promise.withResolvers<void>()
    const hanging = site.handle('/hanging', (_request, response) => {
      waiting.push(response) === people && allWait.resolve()
    })
    const others = []
    for (let count = 0; count < people; count++) {
      const { visitor: another } = await signedIn()
      await signInTo(another, await registerRelyingParty({ backchannelLogoutUri: hanging }))
      others.push(another)
    }
    /* All at once in the end: a request that waits longer than five seconds is given up. */
    for (const another of [...others, visitor]) await another.post('/logout', { csrf: true })
    await Promise.all([told.promise, allWait.promise])
    waiting.forEach((response) => response.writeHead(204).end())
    await settled(server)
    assert.lengthOf(await rows(), 0)
  })

  test('more ends than there is room for at once are all told', async ({ assert }) => {
    const { server, visitor, told } = await person()
    const [row] = await rows()
    const others = Array.from({ length: 120 }, (_, index) => ({ ...row, sid: `other${index}` }))
    await db.table('oauth_client_sessions').multiInsert(others)
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 121)
    assert.lengthOf(await rows(), 0)
  })

  test('a client that answers after a failure is not told again', async ({ assert }) => {
    const tick = stopClock()
    const { server, visitor, told, answer } = await person()
    answer.status = 500
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    answer.status = 204
    tick(30)
    server.openid!.backChannel.deliverDue()
    await settled(server)
    assert.lengthOf(told, 2)
    assert.lengthOf(await rows(), 0)
  })

  test('no redirect is followed, and no private address is asked', async ({ assert }) => {
    const { server, visitor, told, answer, party } = await person()
    answer.status = 307
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 1)
    assert.lengthOf(await rows(), 1)

    useTestFetcher({ isAllowed: () => false })
    await rows().delete()
    const { visitor: another } = await signedIn()
    await signInTo(another, party)
    await another.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 1)
  })

  test('a client that was revoked meanwhile is not told', async ({ assert }) => {
    const { server, visitor, told, party } = await person()
    await server.clients.revoke(party.id)
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 0)
    assert.lengthOf(await rows(), 0)
  })

  test('a client without a logout URI, and one without the scope openid, leaves no record', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    await signInTo(visitor, await registerRelyingParty())
    const party = await registerRelyingParty({ backchannelLogoutUri: site.url('/logout') })
    await signInTo(visitor, party, { scope: 'posts:read' })
    assert.lengthOf(await rows(), 0)
  })

  test('§2.2 a logout URI may have a query, which it is told at', async ({ assert }) => {
    useTestFetcher()
    const server = await useOpenId()
    const { uri, told } = endpoint(site, '/callback?logout=backchannel')
    const { visitor } = await signedIn()
    await signInTo(visitor, await registerRelyingParty({ backchannelLogoutUri: uri }))
    await visitor.post('/logout', { csrf: true })
    await settled(server)
    assert.lengthOf(told, 1)
  })

  for (const uri of [
    'http://client.example.com/logout',
    'https://127.0.0.1/logout',
    'https://client.example.com/logout#x',
    'https://user@client.example.com/logout',
    'logout',
  ]) {
    test(`§2.2 ${uri} cannot be registered`, async ({ assert }) => {
      await useOpenId()
      await assert.rejects(
        () => registerRelyingParty({ backchannelLogoutUri: uri }),
        /must be an https URL/
      )
    })
  }
})
