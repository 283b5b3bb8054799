import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { DEVICE_CODE } from '#kit/oauth2/settings'
import { HTML } from '#starter/helpers/consent'
import { obtainDeviceTokens } from '#starter/helpers/device'
import { encodeForm, isolate } from '#starter/helpers/oauth'
import { SCOPE, registerRelyingParty, signInTo, useOpenId } from '#starter/helpers/openid'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn, isSignedIn } from '#starter/helpers/visitor'

const GOODBYE = 'https://client.example.com/goodbye?from=logout'
const OF_APP = 'com.example.app:/goodbye'
const FORM = { ...HTML, 'content-type': 'application/x-www-form-urlencoded' }

/** Sends a browser to the end session endpoint. */
async function ask(visitor: Visitor, fields: Record<string, string> = {}) {
  const response = await visitor.get(`/oauth/logout?${encodeForm(fields)}`, { headers: HTML })
  return {
    status: response.status,
    location: response.headers.get('location'),
    policy: response.headers.get('content-security-policy'),
    headers: response.headers,
    html: await response.text(),
  }
}

/** Presses "Sign out" on the confirmation page. */
async function confirm(visitor: Visitor, html: string, more: Record<string, string> = {}) {
  const [, action] = /<form method="post" action="(\/oauth\/logout\/confirm)"/.exec(html)!
  const hidden = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  const fields = Object.fromEntries([...hidden].map(([, name, value]) => [name!, value!]))
  return visitor.post(action!, { body: encodeForm(fields), headers: { ...FORM, ...more } })
}

/** Somebody who has signed in to a client. */
async function person() {
  const { visitor, user } = await signedIn()
  const client = await registerRelyingParty({ postLogoutRedirectUris: [GOODBYE, OF_APP] })
  const { id_token: hint, access_token: accessToken } = await signInTo(visitor, client)
  return { visitor, user, client, hint, accessToken }
}

test.group('RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0)', (group) => {
  group.each.setup(isolate)

  test('§2 with the ID token of this session it signs out at once, and goes back with state', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor, hint } = await person()
    const { location } = await ask(visitor, {
      id_token_hint: hint,
      post_logout_redirect_uri: GOODBYE,
      state: 'a & b',
    })
    assert.equal(location, `${GOODBYE}&state=a%20%26%20b`)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('§2 the ID token may have expired', async ({ assert }) => {
    const tick = stopClock()
    await useOpenId()
    const { visitor, hint } = await person()
    tick(3600)
    await ask(visitor, { id_token_hint: hint })
    assert.isFalse(await isSignedIn(visitor))
  })

  test('§2 without a redirect URI a page says that it is done', async ({ assert }) => {
    await useOpenId()
    const { visitor, hint } = await person()
    const { status, html } = await ask(visitor, { id_token_hint: hint })
    assert.equal(status, 200)
    assert.include(html, 'You are signed out')
  })

  test('§2 without a hint a person is asked first, and goes back after saying yes', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor, client } = await person()
    const { status, html, policy } = await ask(visitor, {
      client_id: client.id,
      post_logout_redirect_uri: GOODBYE,
      state: 's',
    })
    assert.equal(status, 200)
    assert.include(policy!, new URL(GOODBYE).origin)
    assert.include(html, 'Relying party asks to sign you out')
    assert.isTrue(await isSignedIn(visitor))
    const answer = await confirm(visitor, html)
    assert.equal(answer.headers.get('location'), `${GOODBYE}&state=s`)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('a hint about another person, or another session of the same, asks first', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor, user, hint } = await person()
    const { visitor: stranger } = await signedIn()
    const { visitor: second } = await signedIn(user)
    for (const one of [stranger, second]) {
      const { html } = await ask(one, { id_token_hint: hint })
      assert.include(html, '/oauth/logout/confirm')
      assert.isTrue(await isSignedIn(one))
    }
    assert.isTrue(await isSignedIn(visitor))
  })

  test('a hint about another person asks first where no session tells its name, too', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    const { visitor: stranger } = await signedIn()
    await db.from('sessions').update({ login: null })
    const { id_token: hint } = await signInTo(visitor, await registerRelyingParty())
    const { html } = await ask(stranger, { id_token_hint: hint })
    assert.include(html, '/oauth/logout/confirm')
    assert.isTrue(await isSignedIn(stranger))
    await ask(visitor, { id_token_hint: hint })
    assert.isFalse(await isSignedIn(visitor))
  })

  test('so does a hint about a sign-in without a session, e.g. of a device', async ({ assert }) => {
    await useOpenId({ grantTypes: [DEVICE_CODE] })
    const { visitor } = await signedIn()
    const device = await registerRelyingParty()
    const tokens = (await obtainDeviceTokens(visitor, device, { scope: SCOPE })) as any
    const { html } = await ask(visitor, { id_token_hint: tokens.id_token })
    assert.include(html, '/oauth/logout/confirm')
    assert.isTrue(await isSignedIn(visitor))
  })

  test('so does a hint whose key has been taken out since, which nobody can verify any more', async ({
    assert,
  }) => {
    const { keys } = await useOpenId()
    const { visitor, client, hint } = await person()
    const kid = keys.signingKid!
    await keys.stored!.add('RS256', Date.now())
    await keys.stored!.store.delete(kid)
    await keys.refresh()
    const fields = { id_token_hint: hint, post_logout_redirect_uri: GOODBYE }
    const { html } = await ask(visitor, { ...fields, client_id: client.id })
    assert.include(html, 'Relying party asks to sign you out')
    assert.isTrue(await isSignedIn(visitor))
    const unnamed = await ask(visitor, fields)
    assert.notInclude(unnamed.html, 'Relying party')
    assert.equal((await confirm(visitor, html)).headers.get('location'), GOODBYE)
    assert.isFalse(await isSignedIn(visitor))
    const done = await ask(visitor, fields)
    assert.include(done.html, 'You are signed out')
    assert.isNull(done.location)
  })

  for (const [what, uri, refresh, location] of [
    ['a site by a refresh', GOODBYE, `0; url=${GOODBYE}`, null],
    ['an app by a redirect', OF_APP, null, OF_APP],
  ] as const) {
    test(`the form of the confirmation leads to ${what}`, async ({ assert }) => {
      await useOpenId()
      const { visitor, client } = await person()
      const { html } = await ask(visitor, { post_logout_redirect_uri: uri, client_id: client.id })
      const answer = await confirm(visitor, html, { 'sec-fetch-site': 'same-origin' })
      assert.equal(answer.headers.get('refresh'), refresh)
      assert.equal(answer.headers.get('location'), location)
    })
  }

  test('the confirmation needs the CSRF token of the session', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await person()
    const body = encodeForm({})
    const refused = await visitor.post('/oauth/logout/confirm', { body, headers: FORM })
    assert.equal(refused.status, 403)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('nobody who is not signed in is asked', async ({ assert }) => {
    await useOpenId()
    const { hint, client } = await person()
    const fields = { post_logout_redirect_uri: GOODBYE, client_id: client.id }
    assert.equal((await ask(new Visitor(), fields)).location, GOODBYE)
    assert.equal((await ask(new Visitor(), { ...fields, id_token_hint: hint })).location, GOODBYE)
    assert.include((await ask(new Visitor())).html, 'You are signed out')
  })

  test('§2 POST does the same: the browser asks again with its session', async ({ assert }) => {
    await useOpenId()
    const { visitor, hint } = await person()
    const response = await new Visitor().post('/oauth/logout', {
      body: encodeForm({ id_token_hint: hint, post_logout_redirect_uri: GOODBYE, other: 'x' }),
      headers: { ...FORM, 'origin': 'https://client.example.com', 'sec-fetch-site': 'cross-site' },
    })
    assert.equal(response.status, 303)
    const location = response.headers.get('location')!
    assert.match(location, /^\/oauth\/logout\?/)
    const done = await visitor.get(location, { headers: HTML })
    assert.equal(done.headers.get('location'), GOODBYE)
    assert.isFalse(await isSignedIn(visitor))
  })
})

test.group('Attacks on the logout', (group) => {
  group.each.setup(isolate)

  for (const uri of [
    'https://evil.example.com/',
    'https://client.example.com/goodbye',
    `${GOODBYE}&more=1`,
    `${GOODBYE}#fragment`,
    'https://client.example.com@evil.example.com/goodbye?from=logout',
    '//evil.example.com',
    'javascript:alert(1)',
  ]) {
    test(`§3 ${uri} is not registered: nobody is sent there, nor signed out`, async ({
      assert,
    }) => {
      await useOpenId()
      const { visitor, client, hint } = await person()
      for (const fields of [{ id_token_hint: hint }, { client_id: client.id }, {}]) {
        const { status, location } = await ask(visitor, {
          ...(fields as Record<string, string>),
          post_logout_redirect_uri: uri,
        })
        assert.equal(status, 400)
        assert.isNull(location)
      }
      assert.isTrue(await isSignedIn(visitor))
    })
  }

  test('the URI of one client is not good with the ID token of another', async ({ assert }) => {
    await useOpenId()
    const { visitor, client } = await person()
    const other = await registerRelyingParty()
    const { id_token: foreign } = await signInTo(visitor, other)
    for (const fields of [
      { id_token_hint: foreign },
      { id_token_hint: foreign, client_id: client.id },
    ]) {
      const { status, location } = await ask(visitor, {
        ...(fields as Record<string, string>),
        post_logout_redirect_uri: GOODBYE,
      })
      assert.equal(status, 400)
      assert.isNull(location)
    }
    assert.isTrue(await isSignedIn(visitor))
  })

  test('an access token, and a token that nobody here has signed, is no hint', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor, hint, accessToken } = await person()
    const [header, claims] = hint.split('.')
    for (const token of [accessToken, `${header}.${claims}.AAAA`, `${header}.${claims}.`]) {
      const { status } = await ask(visitor, { id_token_hint: token })
      assert.equal(status, 400)
    }
    assert.isTrue(await isSignedIn(visitor))
  })

  test('a token of these keys is no hint unless this issuer gave it, to one client', async ({
    assert,
  }) => {
    const { keys } = await useOpenId()
    const { visitor, hint } = await person()
    const claims = decodeJwt(hint)
    for (const [change, status] of [
      [{}, 200],
      [{ iss: 'https://staging.example.com' }, 400],
      [{ sub: undefined }, 400],
      [{ aud: [claims.aud] }, 400],
    ] as const) {
      const token = await keys.sign({ ...claims, sid: 'another', ...change }, { typ: 'JWT' })
      const asked = await ask(visitor, { id_token_hint: token })
      assert.equal(asked.status, status, JSON.stringify(change))
    }
    assert.isTrue(await isSignedIn(visitor))
  })

  test('what a client sends stands in the page as text', async ({ assert }) => {
    await useOpenId()
    const { visitor, client } = await person()
    const { html } = await ask(visitor, {
      client_id: client.id,
      post_logout_redirect_uri: GOODBYE,
      state: '"><script>alert(1)</script>',
    })
    assert.notInclude(html, '<script>alert')
  })

  test('the page is not cached, and its address not sent to other sites (RFC 9700 §4.2.4)', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor, hint } = await person()
    const { headers } = await ask(visitor, { id_token_hint: hint })
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'same-origin')
  })

  test('a client_id of no active client signs nobody out, and asks nobody', async ({ assert }) => {
    const server = await useOpenId()
    const { visitor, client } = await person()
    await server.clients.revoke(client.id)
    for (const id of [client.id, 'nobody']) {
      assert.equal((await ask(visitor, { client_id: id })).status, 400)
    }
    assert.isTrue(await isSignedIn(visitor))
  })

  test('a client that was revoked leads nowhere', async ({ assert }) => {
    const server = await useOpenId()
    const { visitor, client, hint } = await person()
    await server.clients.revoke(client.id)
    const fields = { post_logout_redirect_uri: GOODBYE, id_token_hint: hint }
    const { status, location } = await ask(visitor, fields)
    assert.equal(status, 400)
    assert.isNull(location)
    assert.lengthOf(await db.from('oauth_client_sessions'), 0)
  })
})
