import { request as httpRequest } from 'node:http'

import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import {
  athOf,
  callWith,
  createKey,
  obtainBound,
  resourceProof,
  useDpop,
  useNames,
} from '#starter/helpers/dpop'
import { isolate, obtainTokens, opens, registerClient } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { signedIn } from '#starter/helpers/visitor'

/** A bound token of a user, and its key. */
async function bound() {
  const { visitor } = await signedIn()
  const client = await registerClient()
  const key = await createKey()
  const { body } = await obtainBound(visitor, client, key)
  return { visitor, client, key, token: body.access_token as string }
}

const errorIn = (response: Response) =>
  /error="(\w+)"/.exec(response.headers.get('www-authenticate') ?? '')?.[1]

test.group('Bound tokens at a resource (RFC 9449 §7)', (group) => {
  group.each.setup(isolate)

  test('a bound token opens a route with a proof of its key', async ({ assert }) => {
    await useDpop()
    const { key, token } = await bound()
    const response = await callWith(token, await resourceProof(key, token))
    assert.equal(response.status, 200)
    assert.equal(((await response.json()) as any).guard, 'oauth')
  })

  test('§7.2: a bound token without its proof is refused, as a Bearer token too', async ({
    assert,
  }) => {
    await useDpop()
    const { key, token } = await bound()
    assert.isFalse(await opens(token))
    const proof = await resourceProof(key, token)
    assert.equal((await callWith(token, proof, 'Bearer')).status, 401)
    const missing = await callWith(token, null)
    assert.equal(missing.status, 401)
    assert.equal(errorIn(missing), 'invalid_dpop_proof')
  })

  test('a bound token is refused without its key after DPoP has been turned off, and good with it', async ({
    assert,
  }) => {
    await useDpop()
    const { key, token } = await bound()
    await useDpop({ enabled: false })
    assert.isFalse(await opens(token))
    assert.equal((await callWith(token, await resourceProof(key, token))).status, 200)
  })

  test('§11.1: a replayed proof is refused', async ({ assert }) => {
    await useDpop()
    const { key, token } = await bound()
    const proof = await resourceProof(key, token)
    assert.equal((await callWith(token, proof)).status, 200)
    const replayed = await callWith(token, proof)
    assert.equal(replayed.status, 401)
    assert.equal(errorIn(replayed), 'invalid_dpop_proof')
  })

  test('a request has one proof, however many guards look at it', async ({ assert }) => {
    const server = await useDpop()
    const { key, token } = await bound()
    const ctx = await testUtils.createHttpContext()
    const { request } = ctx.request
    request.method = 'GET'
    request.url = '/api/me'
    request.headers.host = new URL(await serverUrl()).host
    request.headers.authorization = `DPoP ${token}`
    request.headers.dpop = await resourceProof(key, token)
    for (let guard = 0; guard < 2; guard++) {
      assert.isNull(await server.dpop.judge(ctx, token, key.jkt))
    }
  })

  test('an htu is the address in either case of its percent-encoding, which a slash is not', async ({
    assert,
  }) => {
    const server = await useDpop()
    const { key, token } = await bound()
    const judge = async (path: string) => {
      const ctx = await testUtils.createHttpContext()
      const { request } = ctx.request
      Object.assign(request, { method: 'GET', url: '/user/a%2Fb' })
      request.headers.host = new URL(await serverUrl()).host
      request.headers.authorization = `DPoP ${token}`
      request.headers.dpop = await resourceProof(key, token, { url: await serverUrl(path) })
      return server.dpop.judge(ctx, token, key.jkt)
    }
    assert.isNull(await judge('/user/a%2Fb'))
    assert.isNull(await judge('/user/a%2fb'))
    assert.isNotNull(await judge('/user/a/b'))
  })

  test('§11.8: a proof of another key, and one for another token of the same key, are refused', async ({
    assert,
  }) => {
    await useDpop()
    const { key, token, visitor, client } = await bound()
    const { body: other } = await obtainBound(visitor, client, key)
    const attempts = [
      await resourceProof(await createKey(), token),
      await resourceProof(key, token, { claims: { ath: athOf(other.access_token) } }),
      await resourceProof(key, token, { claims: { ath: undefined } }),
      await resourceProof(key, token, { method: 'POST' }),
      await resourceProof(key, token, { url: await serverUrl('/user/7') }),
    ]
    for (const proof of attempts) {
      assert.equal((await callWith(token, proof)).status, 401)
    }
    assert.equal((await callWith(token, await resourceProof(key, token))).status, 200)
  })

  test('§7.1: a token that is not bound is refused under the scheme DPoP', async ({ assert }) => {
    await useDpop()
    const { visitor } = await signedIn()
    const { access_token: token } = await obtainTokens(visitor, await registerClient())
    const key = await createKey()
    assert.equal((await callWith(token, await resourceProof(key, token))).status, 401)
    assert.isTrue(await opens(token))
  })

  test('a proof for another server does not pass under that server’s Host header', async ({
    assert,
  }) => {
    await useDpop()
    const ours = new URL(await serverUrl())
    await useNames({ issuer: ours.origin, resources: ['https://api.example.com/v1'] })
    const { key, token } = await bound()
    const call = async (url: string, host: string) => {
      const dpop = await resourceProof(key, token, { url })
      return new Promise<number>((resolve, reject) => {
        const { hostname, port } = ours
        const headers = { host, dpop, authorization: `DPoP ${token}` }
        httpRequest({ hostname, port, path: '/api/me', headers }, (response) => {
          response.resume()
          resolve(response.statusCode!)
        })
          .on('error', reject)
          .end()
      })
    }
    assert.equal(await call('http://evil.example.com/api/me', 'evil.example.com'), 401)
    assert.equal(await call('https://api.example.com/api/me', 'api.example.com'), 200)
    assert.equal(await call(`${ours.origin}/api/me`, ours.host), 200)
  })

  test('§7.1: challenges name DPoP and its algorithms, beside Bearer or in the scheme that was used', async ({
    assert,
  }) => {
    await useDpop()
    const { token } = await bound()
    const challenge = async (authorization?: string) => {
      const headers = authorization ? { authorization } : undefined
      const response = await fetch(await serverUrl('/api/me'), { headers })
      return response.headers.get('www-authenticate')
    }
    const algs = 'algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"'
    assert.equal(await challenge(`Bearer ${token}`), `Bearer, DPoP ${algs}`)
    assert.equal(await challenge(`DPoP ${token}`), `DPoP error="invalid_dpop_proof", ${algs}`)
    assert.equal(await challenge('DPoP nonsense'), `DPoP error="invalid_token", ${algs}`)
    await useDpop({ enabled: false })
    assert.equal(await challenge(`Bearer ${token}`), 'Bearer')
    assert.equal(await challenge('DPoP nonsense'), 'Bearer')
  })

  test('a malformed header is an invalid token in either scheme, and no absent one', async ({
    assert,
  }) => {
    await useDpop()
    for (const authorization of ['Bearer', 'Bearer a b', 'DPoP', 'DPoP a b']) {
      const response = await fetch(await serverUrl('/api/me'), { headers: { authorization } })
      const { error } = (await response.json()) as { error: string }
      assert.equal(error, 'invalid_token', authorization)
    }
  })

  test('§9: with nonces on, a resource asks for one by its challenge', async ({ assert }) => {
    await useDpop()
    const { key, token } = await bound()
    await useDpop({ nonce: true })
    const first = await callWith(token, await resourceProof(key, token))
    assert.equal(first.status, 401)
    assert.equal(errorIn(first), 'use_dpop_nonce')
    const nonce = first.headers.get('dpop-nonce')!
    const proof = await resourceProof(key, token, { claims: { nonce } })
    const second = await callWith(token, proof)
    assert.equal(second.status, 200)
    assert.equal(second.headers.get('cache-control'), 'no-store')
  })
})
