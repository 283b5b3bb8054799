import { appendFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { test } from '@japa/runner'
import * as openid from 'openid-client'

import { type CodeBlock, pageBlocks } from '#starter/helpers/document_blocks'
import { PageSession } from '#starter/helpers/page_session'
import { copyDatabase, copyProject, developIn, runIn } from '#starter/helpers/project_copy'
import { startTogether } from '#starter/helpers/server_process'

const ISSUER = 'https://id.example.com'
const CALLBACK = 'https://shop.example.com/callback'
const PERSON = { email: 'ann@example.com', password: 'a secret of mine' }

test.group('The quick start of docs/openid.md', (group) => {
  const started = startTogether(group, {
    async followed(cleanup) {
      const folder = await copyProject(cleanup)
      const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
      const variables = { ...env, ...copyDatabase(cleanup) }
      const fresh = await developIn(folder, variables)
      await fresh.stop()

      const [dotenv, key, client] = pageBlocks('docs/openid.md')
      await appendFile(join(folder, '.env'), dotenv!.code)
      const run = async ({ code }: CodeBlock) => {
        const result = await runIn(folder, ['bash', '-euo', 'pipefail', '-c', code], variables)
        if (result.code !== 0) throw new Error(result.stdout + result.stderr)
        return result.stdout
      }
      await run(key!)
      const registered = await run(client!)
      const server = await developIn(folder, variables)
      cleanup(() => server.stop())
      return { url: server.url, registered }
    },
  })

  test('as it stands, from a fresh copy, lets openid-client sign a person in', async ({
    assert,
  }) => {
    const { url, registered } = await started.followed
    const printed = (label: string) => new RegExp(`^${label}: (\\S+)$`, 'm').exec(registered)![1]!
    /* What a proxy does: the issuer's address leads to the server. */
    const at = (address: string) => address.replace(ISSUER, url)
    const config = await openid.discovery(
      new URL(ISSUER),
      printed('Client ID'),
      printed('Client secret'),
      undefined,
      { [openid.customFetch]: (address, options) => fetch(at(address), options as RequestInit) }
    )
    await fetch(`${url}/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...PERSON, password_confirmation: PERSON.password, fullName: 'Ann' }),
    })

    const verifier = openid.randomPKCECodeVerifier()
    const nonce = openid.randomNonce()
    const asked = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const answer = await new PageSession(PERSON, at).allow(asked)
    const tokens = await openid.authorizationCodeGrant(config, answer, {
      pkceCodeVerifier: verifier,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const { sub } = tokens.claims()!
    const info = await openid.fetchUserInfo(config, tokens.access_token, sub)
    assert.equal(info.email, PERSON.email)
    assert.equal(info.name, 'Ann')
  }).timeout(300_000)
})
