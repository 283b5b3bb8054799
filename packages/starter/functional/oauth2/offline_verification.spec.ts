import { test } from '@japa/runner'
import { SignJWT } from 'jose'

import { generateKey } from '#kit/oauth2/keys/signing_key'
import { codeBlocks } from '#starter/helpers/document_blocks'
import { credentials, isolate, postToken, registerClient, useConfig } from '#starter/helpers/oauth'
import { findPython, runPython } from '#starter/helpers/python'
import { serverUrl } from '#starter/helpers/server_url'

const python = await findPython(['jwt', 'cryptography'])
const program = codeBlocks('python').find(({ document }) => document === 'docs/oauth-keys.md')!.code

/** A server of a set of keys, whose issuer is where it can be reached. */
async function prepare() {
  const issuer = await serverUrl()
  const server = await useConfig({ keys: { store: 'memory' }, issuer })
  const client = await registerClient()
  const { body } = await postToken({
    grant_type: 'client_credentials',
    scope: 'posts:read',
    ...credentials(client),
  })
  return { server, issuer, client, token: body.access_token as string }
}

test.group(
  'Verification without this server, by the program of the documents in Python',
  (group) => {
    group.each.setup(isolate)

    test('accepts an access token, and reads its claims', async ({ assert }) => {
      const { issuer, client, token } = await prepare()
      const { code, output } = await runPython(python!, program, [issuer, token])
      assert.equal(code, 0, output)
      assert.equal(output.trim(), `${client.id} posts:read`)
    }).skip(python === null, 'needs a Python with PyJWT and cryptography (Debian: python3-jwt)')

    test('refuses a forged one, one of another key, of another type, and one that has expired', async ({
      assert,
    }) => {
      const { server, issuer, token } = await prepare()
      const stranger = await generateKey('ES256')
      const kid = server.keys.signingKid!
      const claims = { iss: issuer, client_id: 'x', scope: '', exp: Date.now() / 1000 + 60 }
      const sign = (header: object) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header })
          .sign(stranger.sign)
      const bad = [
        `${token.slice(0, -8)}AAAAAAAA`,
        await sign({ kid }),
        await sign({ kid: 'unknown' }),
        await server.keys.sign(claims, { typ: 'logout+jwt' }),
        await server.keys.sign({ ...claims, exp: 1 }, { typ: 'at+jwt' }),
        await server.keys.sign({ ...claims, iss: 'https://other.example' }, { typ: 'at+jwt' }),
      ]
      for (const text of bad) {
        const { code } = await runPython(python!, program, [issuer, text])
        assert.notEqual(code, 0, text)
      }
    }).skip(python === null, 'needs a Python with PyJWT and cryptography (Debian: python3-jwt)')
  }
)
