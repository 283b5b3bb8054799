import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import '#starter/helpers/fixtures/mcp/vault_server'
import { createKey, createProof, obtainBound, useDpop } from '#starter/helpers/dpop'
import { isolate, registerClient } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { signedIn } from '#starter/helpers/visitor'

const MOUNT = '/mcp/vault'
const RESOURCE = `${appUrl}${MOUNT}`
const METADATA = `/.well-known/oauth-protected-resource${MOUNT}`
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const ALGORITHMS = 'algs="ES256 ES384 EdDSA Ed25519 PS256 RS256"'

async function call(headers: Record<string, string> = {}) {
  const { status, headers: answered } = await fetch(await serverUrl(MOUNT), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(LIST),
  })
  return {
    status,
    challenge: answered.get('www-authenticate'),
    nonce: answered.get('dpop-nonce'),
  }
}

/** A token for the mount that is bound to a key, and calls with it. */
async function caller() {
  const { visitor } = await signedIn()
  const key = await createKey()
  const client = await registerClient()
  const more = { resource: RESOURCE, scope: 'mcp:use' }
  const { body } = await obtainBound(visitor, client, key, more)
  const token = body.access_token as string
  return {
    token,
    call: async (claims: object = {}) => {
      const url = await serverUrl(MOUNT)
      const dpop = await createProof(key, { url, token, claims: { ...claims } })
      return call({ authorization: `DPoP ${token}`, dpop })
    },
  }
}

test.group('MCP protect | Tokens that are bound to a key', (group) => {
  group.each.setup(isolate)

  test('open their mount with a proof, and not without one', async ({ assert }) => {
    await useDpop()
    const bound = await caller()
    assert.equal((await bound.call()).status, 200)
    assert.equal((await call({ authorization: `Bearer ${bound.token}` })).status, 401)
    const { status, challenge } = await call({ authorization: `DPoP ${bound.token}` })
    assert.equal(status, 401)
    assert.match(challenge!, /^DPoP error="invalid_dpop_proof", .*resource_metadata="/)
  })

  test('challenges of the mount name the scheme while it is on', async ({ assert }) => {
    const before = await call()
    assert.notInclude(before.challenge!, 'DPoP')
    await useDpop()
    assert.equal((await call()).challenge, `${before.challenge}, DPoP ${ALGORITHMS}`)
  })

  test('a mount asks for a nonce, and takes the proof that has it', async ({ assert }) => {
    await useDpop()
    const bound = await caller()
    await useDpop({ nonce: true })
    const asked = await bound.call()
    assert.match(asked.challenge!, /^DPoP error="use_dpop_nonce"/)
    assert.equal((await bound.call({ nonce: asked.nonce })).status, 200)
  })

  test('the metadata of the mount name the algorithms while it is on', async ({ assert }) => {
    const metadata = async (): Promise<any> => (await fetch(await serverUrl(METADATA))).json()
    assert.notProperty(await metadata(), 'dpop_signing_alg_values_supported')
    await useDpop()
    assert.include((await metadata()).dpop_signing_alg_values_supported, 'ES256')
  })
})
