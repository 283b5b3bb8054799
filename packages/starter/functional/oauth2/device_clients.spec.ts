import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { getActiveTest, test } from '@japa/runner'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'

import { decideDevice, useDevices } from '#starter/helpers/device'
import { codeBlocks } from '#starter/helpers/document_blocks'
import { isolate, opens, registerClient } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { signedIn } from '#starter/helpers/visitor'

const HTTP = { [oauth.allowInsecureRequests]: true } as const

/** Runs the program of the documentation, and returns the lines that it prints. */
async function runExample(environment: Record<string, string>) {
  const [block] = codeBlocks('ts').filter(
    ({ document, code }) => document === 'docs/oauth-devices.md' && code.includes('device_code')
  )
  const folder = await mkdtemp(join(tmpdir(), 'device-'))
  const file = join(folder, 'sign_in.mts')
  await writeFile(file, block!.code)
  const program = spawn(process.execPath, [file], { env: { ...process.env, ...environment } })
  getActiveTest()!.cleanup(async () => {
    program.kill()
    await rm(folder, { recursive: true })
  })
  let errors = ''
  program.stderr.on('data', (chunk) => (errors += chunk))
  const lines = createInterface(program.stdout)[Symbol.asyncIterator]()
  return {
    length: block!.code.trim().split('\n').length,
    line: async () => {
      const { value, done } = await lines.next()
      if (done) {
        throw new Error(`The program has ended: ${errors}`)
      }
      return value as string
    },
    exitCode: async () => (program.exitCode === null ? (await once(program, 'exit'))[0] : 0),
  }
}

test.group('Clients of the device grant', (group) => {
  group.each.setup(isolate)

  test('openid-client signs a device in', async ({ assert }) => {
    await useDevices({ interval: 1 })
    const { visitor } = await signedIn()
    const client = await registerClient({ confidential: false })
    const config = await openid.discovery(
      new URL(await serverUrl()),
      client.id,
      undefined,
      openid.None(),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] }
    )
    const device = await openid.initiateDeviceAuthorization(config, { scope: 'posts:read' })
    await decideDevice(visitor, device.user_code)
    const tokens = await openid.pollDeviceAuthorizationGrant(config, device)
    assert.isTrue(await opens(tokens.access_token))
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!)
    assert.isTrue(await opens(refreshed.access_token))
  })

  test('oauth4webapi is told authorization_pending, and gets the tokens of an allowed device', async ({
    assert,
  }) => {
    await useDevices()
    const { visitor } = await signedIn()
    const registered = await registerClient()
    const issuer = new URL(await serverUrl())
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...HTTP })
    )
    const client: oauth.Client = { client_id: registered.id }
    const auth = oauth.ClientSecretBasic(registered.secret!)
    const device = await oauth.processDeviceAuthorizationResponse(
      server,
      client,
      await oauth.deviceAuthorizationRequest(server, client, auth, { scope: 'posts:read' }, HTTP)
    )
    const poll = async () =>
      oauth.processDeviceCodeResponse(
        server,
        client,
        await oauth.deviceCodeGrantRequest(server, client, auth, device.device_code, HTTP)
      )
    const pending = await poll().catch((error: unknown) => error)
    assert.equal((pending as oauth.ResponseBodyError).error, 'authorization_pending')
    await decideDevice(visitor, device.user_code)
    assert.isTrue(await opens((await poll()).access_token))
  })

  test('the program of the documentation, in 50 lines at most', async ({ assert }) => {
    await useDevices({ interval: 1 })
    const { visitor, user } = await signedIn()
    const client = await registerClient({ confidential: false })
    const program = await runExample({ ISSUER: await serverUrl(), CLIENT_ID: client.id })
    assert.isAtMost(program.length, 50)
    const code = /[A-Z]{4}-[A-Z]{4}/.exec(await program.line())![0]
    await decideDevice(visitor, code)
    assert.include(await program.line(), user.email)
    assert.equal(await program.exitCode(), 0)
  })
})
