import { test } from '@japa/runner'
import { SignJWT, decodeJwt, generateKeyPair } from 'jose'

import type User from '#models/user'
import { defineClaims } from '#kit/oauth2/openid/claims'
import { HTML, allow, open } from '#starter/helpers/consent'
import {
  REDIRECT_URI,
  type TestClient,
  basic,
  encodeForm,
  isolate,
  postToken,
} from '#starter/helpers/oauth'
import {
  SCOPE,
  registerRelyingParty,
  signInByPages,
  signInTo,
  useOpenId,
  verified,
  parties,
} from '#starter/helpers/openid'
import { Visitor, signedIn } from '#starter/helpers/visitor'

/* What the conformance suite of the OpenID Foundation does and no other test here: docs/openid-certification.md. */

const GOODBYE = 'https://client.example.com/goodbye'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const NO_PKCE = { code_challenge: undefined, code_challenge_method: undefined }

/** Redeems a code as a client without PKCE that authenticates with Basic. */
async function redeem(client: TestClient, answer: URL) {
  const code = answer.searchParams.get('code')!
  const fields = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI }
  return (await postToken(fields, basic(client.id, client.secret))).body
}

async function userInfo(token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await new Visitor().get('/oauth/userinfo', { headers })
  return (await response.json()) as Record<string, unknown>
}

test.group('Basic OP', (group) => {
  group.each.setup(isolate)

  test('a client with a secret and without PKCE signs a person in, where requirePkce is false', async ({
    assert,
  }) => {
    const { visitor, client } = await parties({ requirePkce: false })
    const answer = await allow(visitor, client, { scope: 'openid', nonce: 'n', ...NO_PKCE })
    assert.equal(answer.searchParams.get('state'), 'a state')
    const tokens = await redeem(client, answer)
    assert.equal(tokens.token_type, 'Bearer')
    const { claims } = await verified(tokens.id_token, { audience: client.id })
    assert.equal(claims.nonce, 'n')
    assert.deepEqual(await userInfo(tokens.access_token), { sub: claims.sub })
  })

  test('neither the order of scopes nor that of parameters matters', async ({ assert }) => {
    const { user, visitor, client } = await parties({ requirePkce: false })
    const scope = SCOPE.split(' ').toReversed().join(' ')
    const fields = {
      scope,
      redirect_uri: REDIRECT_URI,
      client_id: client.id,
      response_type: 'code',
    }
    const request = Object.fromEntries(Object.entries(fields).toReversed())
    await allow(visitor, client, { scope, ...NO_PKCE })
    const path = `/oauth/authorize?${encodeForm(request)}`
    const silent = await visitor.get(path, { headers: HTML })
    const tokens = await redeem(client, new URL(silent.headers.get('location')!))
    assert.equal((await userInfo(tokens.access_token)).email, user.email)
  })

  test('the scopes address and phone are answered where a fork has claims for them', async ({
    assert,
  }) => {
    const address = { formatted: '1 Main Street' }
    const claims = defineClaims<User>({
      profile: { name: (user) => user.fullName },
      email: { email: (user) => user.email },
      address: { address: () => address },
      phone: { phone_number: () => '+49 30 901820' },
    })
    const scopes = ['openid', 'profile', 'email', 'address', 'phone']
    const catalogue = Object.fromEntries(scopes.map((scope) => [scope, scope]))
    await useOpenId({ scopes: catalogue, openid: { enabled: true, claims } })
    const { visitor, user } = await signedIn({ fullName: 'Ann' })
    const more = { scope: scopes.join(' ') }
    const tokens = await signInTo(visitor, await registerRelyingParty(), more)
    const { sub, ...others } = await userInfo(tokens.access_token)
    assert.equal(sub, String(user.id))
    assert.deepEqual(others, {
      name: 'Ann',
      email: user.email,
      address,
      phone_number: '+49 30 901820',
    })
  })

  test('a second request with {$self} asks nobody, and has the same sub and auth_time')
    .with(['prompt', 'max_age', 'id_token_hint'] as const)
    .run(async ({ assert }, parameter) => {
      const { visitor, client } = await parties({ requirePkce: false })
      const first = await signInByPages(visitor, client, { max_age: '15000' })
      const values = { prompt: 'none', max_age: '10000', id_token_hint: first.id_token }
      const more = { scope: SCOPE, [parameter]: values[parameter], ...NO_PKCE }
      const answer = await open(visitor, client, more)
      const second = await redeem(client, new URL(answer.headers.get('location')!))
      const [before, after] = [decodeJwt(first.id_token), decodeJwt(second.id_token)]
      assert.isNumber(before.auth_time)
      assert.equal(after.auth_time, before.auth_time)
      assert.equal(after.sub, before.sub)
    })

  test('an access token in the body of a request to UserInfo is not read', async ({ assert }) => {
    await useOpenId()
    const { visitor } = await signedIn()
    const { access_token: token } = await signInTo(visitor, await registerRelyingParty())
    const body = encodeForm({ access_token: token })
    const response = await new Visitor().post('/oauth/userinfo', { body, headers: FORM })
    assert.equal(response.status, 401)
  })
})

test.group('RP-initiated logout OP', (group) => {
  group.each.setup(isolate)

  async function person() {
    const server = await useOpenId()
    const { visitor } = await signedIn()
    const client = await registerRelyingParty({ postLogoutRedirectUris: [GOODBYE] })
    const { id_token: hint } = await signInTo(visitor, client)
    const ask = async (fields: Record<string, string>) => {
      const response = await visitor.get(`/oauth/logout?${encodeForm(fields)}`, { headers: HTML })
      const location = response.headers.get('location')
      return { status: response.status, location, html: await response.text() }
    }
    /** The error of a client that asks whether the person is still signed in; null when it gets a code. */
    const silent = async () => {
      const answer = await open(visitor, client, { scope: SCOPE, prompt: 'none' })
      return new URL(answer.headers.get('location')!).searchParams.get('error')
    }
    return { server, visitor, client, hint, ask, silent }
  }

  test('after a logout prompt=none is login_required; without a state none comes back', async ({
    assert,
  }) => {
    const { ask, silent, hint } = await person()
    const { location } = await ask({ id_token_hint: hint, post_logout_redirect_uri: GOODBYE })
    assert.equal(location, GOODBYE)
    assert.equal(await silent(), 'login_required')
  })

  test('a long state comes back as it was sent', async ({ assert }) => {
    const { ask, hint } = await person()
    const state = 'aB3-._~'.repeat(20)
    const fields = { id_token_hint: hint, post_logout_redirect_uri: GOODBYE, state }
    assert.equal((await ask(fields)).location, `${GOODBYE}?state=${state}`)
  })

  test('an ID token that was changed to alg none, or signed by another key, leads nowhere', async ({
    assert,
  }) => {
    const { ask, silent, hint } = await person()
    const [, claims] = hint.split('.')
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')
    const { privateKey } = await generateKeyPair('RS256')
    const foreign = new SignJWT(decodeJwt(hint)).setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
    for (const token of [`${none}.${claims}.`, await foreign.sign(privateKey)]) {
      const fields = { id_token_hint: token, post_logout_redirect_uri: GOODBYE, state: 's' }
      const { status, location } = await ask(fields)
      assert.equal(status, 400)
      assert.isNull(location)
    }
    assert.isNull(await silent())
  })

  test('a registered URI without a hint or client_id leads nowhere', async ({ assert }) => {
    const { ask, silent } = await person()
    const { status, location } = await ask({ post_logout_redirect_uri: GOODBYE, state: 's' })
    assert.equal(status, 400)
    assert.isNull(location)
    assert.isNull(await silent())
  })

  test('with {$self} a person is asked, and is signed out after saying yes')
    .with(['no parameters', 'a state alone'])
    .run(async ({ assert }, sent) => {
      const { visitor, ask, silent } = await person()
      const { html } = await ask(sent === 'no parameters' ? {} : { state: 's' })
      const [, token] = /name="_token" value="([^"]+)"/.exec(html)!
      const body = encodeForm({ _token: token! })
      const headers = { ...HTML, ...FORM }
      const answer = await visitor.post('/oauth/logout/confirm', { body, headers })
      assert.include(await answer.text(), 'You are signed out')
      assert.equal(await silent(), 'login_required')
    })
})
