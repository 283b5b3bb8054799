import emitter from '@adonisjs/core/services/emitter'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { SignJWT, UnsecuredJWT, decodeJwt, exportJWK } from 'jose'

import { readProof } from '#kit/oauth2/dpop/dpop'
import { hashSecret } from '#kit/security/secrets'
import {
  type ClientKey,
  type ProofOptions,
  createKey,
  createProof,
  postWithProof,
  useDpop,
} from '#starter/helpers/dpop'
import {
  credentials,
  isolate,
  obtainCode,
  postToken,
  redemption,
  registerClient,
} from '#starter/helpers/oauth'
import { unencoded } from '#starter/helpers/keys'
import { USED_LEEWAY, stopClock } from '#starter/helpers/time'
import { serverUrl } from '#starter/helpers/server_url'
import { signedIn } from '#starter/helpers/visitor'

/** What a token request with this proof is answered. */
async function askWith(proof: string) {
  const client = await registerClient()
  return postWithProof({ grant_type: 'client_credentials', ...credentials(client) }, proof)
}

test.group('Proofs at the token endpoint (RFC 9449 §4.3, §5)', (group) => {
  group.each.setup(isolate)

  type Options = (key: ClientKey) => ProofOptions | Promise<ProofOptions>

  /** By the reason that operators are told, so that no proof is refused for another one. */
  const BROKEN: Record<string, Record<string, Options>> = {
    'htm of another method': {
      'another method': () => ({ method: 'GET' }),
      'no method': () => ({ claims: { htm: undefined } }),
    },
    'htu of another address': {
      'another path': async () => ({ url: await serverUrl('/oauth/introspect') }),
      'another host': () => ({ url: 'https://evil.example.com/oauth/token' }),
      'another port': () => ({ url: 'http://127.0.0.1:1/oauth/token' }),
      'no address': () => ({ claims: { htu: undefined } }),
    },
    'jti or iat missing': {
      'no jti': () => ({ claims: { jti: undefined } }),
      'an empty jti': () => ({ claims: { jti: '' } }),
      'a jti that is a number': () => ({ claims: { jti: 7 } }),
      'no iat': () => ({ claims: { iat: undefined } }),
      'an iat that is text': () => ({ claims: { iat: 'now' } }),
    },
    'iat too old or too new': {
      'an old iat': () => ({ claims: { iat: Math.floor(Date.now() / 1000) - 60 } }),
      'a future iat': () => ({ claims: { iat: Math.floor(Date.now() / 1000) + 60 } }),
    },
    'expired': {
      'an exp that is past': () => ({ claims: { exp: Math.floor(Date.now() / 1000) } }),
      'an exp that is text': () => ({ claims: { exp: String(Date.now()) } }),
    },
    'not valid yet': {
      'an nbf in the future': () => ({ claims: { nbf: Math.floor(Date.now() / 1000) + 61 } }),
      'an nbf that is text': () => ({ claims: { nbf: '0' } }),
    },
    'typ is not dpop+jwt': {
      'another typ': () => ({ header: { typ: 'jwt' } }),
      'no typ': () => ({ header: { typ: undefined } }),
    },
    'private key or crit in it': {
      'a part of a private key': ({ jwk }) => ({ header: { jwk: { ...jwk, p: 'x' } } }),
    },
    'malformed, or signature wrong': {
      'no key': () => ({ header: { jwk: undefined } }),
      'the key of somebody else': async () => ({ header: { jwk: (await createKey()).jwk } }),
      'its private key': async ({ privateKey }) => ({
        header: { jwk: await exportJWK(privateKey) },
      }),
      'an unknown critical extension': () => ({ header: { crit: ['exp'], exp: 1 } }),
    },
  }
  const broken = Object.entries(BROKEN).flatMap(([reason, proofs]) =>
    Object.entries(proofs).map(([what, change]) => ({ reason, what, change }))
  )
  for (const { reason, what, change } of broken) {
    test(`a proof with ${what} is invalid_dpop_proof`, async ({ assert }) => {
      stopClock()
      await useDpop()
      const key = await createKey()
      const proof = await createProof(key, await change(key))
      const reasons: string[] = []
      const stop = emitter.on('oauth2:refused', ({ reason: told }) => void reasons.push(told))
      const { status, body } = await askWith(proof)
      stop()
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_dpop_proof')
      assert.deepEqual(reasons, [`DPoP proof: ${reason}`])
    })
  }

  test('a proof of an algorithm that the metadata do not name is refused', async ({ assert }) => {
    await useDpop()
    for (const alg of ['ES512', 'RS512', 'PS384']) {
      const { body } = await askWith(await createProof(await createKey(alg)))
      assert.equal(body.error, 'invalid_dpop_proof', alg)
    }
  })

  test('an empty header is no proof, and gives no Bearer token (RFC 9449 §4.3, 2)', async ({
    assert,
  }) => {
    await useDpop()
    const { status, body } = await askWith('')
    assert.equal(status, 400)
    assert.equal(body.error, 'invalid_dpop_proof')
  })

  test('a proof whose payload is not encoded is refused (RFC 7797 §7)', async ({ assert }) => {
    await useDpop()
    const key = await createKey()
    const proof = await createProof(key)
    assert.equal(
      (await askWith(await unencoded(proof, key.privateKey))).body.error,
      'invalid_dpop_proof'
    )
    assert.equal((await askWith(proof)).status, 200)
  })

  test('a proof has at most 8192 characters', async ({ assert }) => {
    await assert.rejects(() => readProof('x'.repeat(8192)), /^malformed/)
    await assert.rejects(() => readProof('x'.repeat(8193)), /^too long$/)
  })

  test('the clock of a client may be off by almost a minute', async ({ assert }) => {
    stopClock()
    await useDpop()
    const now = Date.now() / 1000
    for (const claims of [{ iat: now - 59 }, { iat: now + 59 }, { nbf: now + 60, exp: now + 1 }]) {
      assert.equal((await askWith(await createProof(await createKey(), { claims }))).status, 200)
    }
  })

  test('§11.6: proofs without a signature, with a shared secret or in other forms are refused', async ({
    assert,
  }) => {
    await useDpop()
    const claims = { jti: 'x', htm: 'POST', htu: await serverUrl('/oauth/token') }
    const jwk = { kty: 'oct', k: Buffer.from('s'.repeat(32)).toString('base64url') }
    const proofs = [
      new UnsecuredJWT(claims).setIssuedAt().encode(),
      await new SignJWT(claims)
        .setProtectedHeader({ typ: 'dpop+jwt', alg: 'HS256', jwk } as any)
        .setIssuedAt()
        .sign(Buffer.from('s'.repeat(32))),
      'nonsense',
      'x'.repeat(9000),
      `${await createProof(await createKey())}, ${await createProof(await createKey())}`,
    ]
    for (const proof of proofs) {
      assert.equal((await askWith(proof)).body.error, 'invalid_dpop_proof')
    }
  })

  test('an htu with a query, a fragment, the host in capitals, or letters in percent-encoding is the same address', async ({
    assert,
  }) => {
    await useDpop()
    const url = await serverUrl('/oauth/token')
    const encoded = url.replace('oauth', '%6Faut%68')
    for (const same of [`${url}?a=b#c`, url.replace('http:', 'HTTP:'), encoded]) {
      const { body } = await askWith(await createProof(await createKey(), { url: same }))
      assert.equal(body.token_type, 'DPoP')
    }
  })

  test('§11.1: a proof is used once, at whatever endpoint', async ({ assert }) => {
    await useDpop()
    const key = await createKey()
    const proof = await createProof(key)
    const answers = await Promise.all(Array.from({ length: 10 }, () => askWith(proof)))
    assert.lengthOf(
      answers.filter(({ status }) => status === 200),
      1
    )
    const errors = answers.filter(({ status }) => status !== 200).map(({ body }) => body.error)
    assert.deepEqual([...new Set(errors)], ['invalid_dpop_proof'])
    const { jti, iat } = decodeJwt(proof)
    const [used] = await db.from('used_once')
    assert.equal(used.digest, hashSecret(`dpop_proof ${key.jkt} ${jti}`))
    assert.equal(Number(used.expires_at), (iat! + 60) * 1000 + USED_LEEWAY)
  })

  test('two clients may have chosen the same jti', async ({ assert }) => {
    await useDpop()
    for (let client = 0; client < 2; client++) {
      const proof = await createProof(await createKey(), { claims: { jti: 'the same' } })
      assert.equal((await askWith(proof)).status, 200)
    }
  })

  test('§8: with nonces on, a proof without one is use_dpop_nonce, and the next works', async ({
    assert,
  }) => {
    const advance = stopClock()
    await useDpop({ nonce: true })
    const key = await createKey()
    const client = await registerClient()
    const ask = async (claims: object) =>
      postWithProof(
        { grant_type: 'client_credentials', ...credentials(client) },
        await createProof(key, { claims: { ...claims } })
      )
    const first = await ask({})
    assert.equal(first.status, 400)
    assert.equal(first.body.error, 'use_dpop_nonce')
    assert.equal(first.headers.get('cache-control'), 'no-store')
    const nonce = first.headers.get('dpop-nonce')!
    assert.match(nonce, /^[\x21\x23-\x5b\x5d-\x7e]+$/)
    assert.include(first.headers.get('access-control-expose-headers') ?? '', 'DPoP-Nonce')
    const second = await ask({ nonce })
    assert.equal(second.body.token_type, 'DPoP')
    const [used] = await db.from('used_once')
    assert.equal(Number(used.expires_at), Date.now() + 300_000 + USED_LEEWAY)
    assert.exists(second.headers.get('dpop-nonce'))
    for (const wrong of ['x', 7, `x${nonce}`]) {
      assert.equal((await ask({ nonce: wrong })).body.error, 'use_dpop_nonce')
    }
    const slow = await ask({ nonce, iat: 1 })
    assert.equal(slow.status, 200, '§11.1: the time of the nonce counts, not the clock')
    advance(299)
    assert.equal((await ask({ nonce })).status, 200)
    advance(1)
    assert.equal((await ask({ nonce })).body.error, 'use_dpop_nonce')
  })

  test('a refused proof burns no code', async ({ assert }) => {
    await useDpop()
    const { visitor } = await signedIn()
    const client = await registerClient()
    const fields = redemption(client, await obtainCode(visitor, client))
    assert.equal((await postWithProof(fields, 'nonsense')).body.error, 'invalid_dpop_proof')
    assert.equal((await postToken(fields)).status, 200)
  })
})
