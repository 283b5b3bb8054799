import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

let count = 0

/** What a start says of these variables; null when it accepts them. */
async function complaintsAbout(variables: Record<string, string>): Promise<string | null> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const)
  getActiveTest()!.cleanup(() => {
    for (const [name, value] of before) {
      value === undefined ? delete process.env[name] : (process.env[name] = value)
    }
  })
  Object.assign(process.env, variables)
  const again = `${app.makeURL('start/env.ts').href}?${++count}`
  return import(again).then(
    () => null,
    ({ help }) => help
  )
}

const PORTS = 'a whole number from 1 to 65535'

test.group('The environment', () => {
  test('{name}={value} is refused with the numbers that it may be')
    .with([
      { name: 'PORT', value: '70000', bounds: 'a whole number from 0 to 65535' },
      { name: 'PORT', value: '80.5', bounds: 'a whole number from 0 to 65535' },
      { name: 'DB_POOL_MAX', value: '1', bounds: 'a whole number from 2 to 10000' },
      { name: 'DB_PORT', value: '70000', bounds: PORTS },
      { name: 'SMTP_PORT', value: '-1', bounds: PORTS },
      { name: 'REDIS_PORT', value: '0', bounds: PORTS },
    ])
    .run(async ({ assert }, { name, value, bounds }) => {
      const complaint = await complaintsAbout({ [name]: value })
      assert.equal(complaint, `- Value for environment variable "${name}" must be ${bounds}`)
    })

  test('a PGSSLMODE that the driver does not know is refused: it would send everything in the clear', async ({
    assert,
  }) => {
    assert.include(await complaintsAbout({ PGSSLMODE: 'required' }), '"PGSSLMODE" env variable')
    for (const mode of ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full']) {
      assert.isNull(await complaintsAbout({ PGSSLMODE: mode }), mode)
    }
  })

  test('a provider of sign-ins with a client id, and without {missing}, is refused')
    .with([
      { id: 'GOOGLE_CLIENT_ID', missing: ['GOOGLE_CLIENT_SECRET'] },
      { id: 'MICROSOFT_CLIENT_ID', missing: ['MICROSOFT_CLIENT_SECRET'] },
      { id: 'GITHUB_CLIENT_ID', missing: ['GITHUB_CLIENT_SECRET'] },
      { id: 'GITLAB_CLIENT_ID', missing: ['GITLAB_CLIENT_SECRET'] },
      { id: 'APPLE_CLIENT_ID', missing: ['APPLE_TEAM_ID', 'APPLE_KEY_ID', 'APPLE_PRIVATE_KEY'] },
    ])
    .run(async ({ assert }, { id, missing }) => {
      const lines = missing.map((name) => `- Missing environment variable "${name}"`)
      assert.equal(await complaintsAbout({ [id]: 'client' }), lines.join('\n'))
      const rest = Object.fromEntries(missing.map((name) => [name, 'value']))
      assert.isNull(await complaintsAbout({ [id]: 'client', ...rest }))
    })

  test('a provider of sign-ins with {name} alone is refused')
    .with([
      { name: 'GOOGLE_CLIENT_SECRET', missing: 'GOOGLE_CLIENT_ID' },
      { name: 'MICROSOFT_CLIENT_SECRET', missing: 'MICROSOFT_CLIENT_ID' },
      { name: 'GITHUB_CLIENT_SECRET', missing: 'GITHUB_CLIENT_ID' },
      { name: 'GITLAB_CLIENT_SECRET', missing: 'GITLAB_CLIENT_ID' },
      { name: 'OIDC_CLIENT_SECRET', missing: 'OIDC_CLIENT_ID' },
      { name: 'APPLE_TEAM_ID', missing: 'APPLE_CLIENT_ID' },
      { name: 'APPLE_KEY_ID', missing: 'APPLE_CLIENT_ID' },
      { name: 'APPLE_PRIVATE_KEY', missing: 'APPLE_CLIENT_ID' },
    ])
    .run(async ({ assert }, { name, missing }) => {
      const complaint = await complaintsAbout({ [name]: 'value' })
      assert.equal(complaint, `- Missing environment variable "${missing}"`)
    })

  test('a provider of OpenID Connect with {name}, and without {missing}, is refused')
    .with([
      { name: 'OIDC_ISSUER', value: 'https://id.example.com', missing: 'OIDC_CLIENT_ID' },
      { name: 'OIDC_CLIENT_ID', value: 'client', missing: 'OIDC_ISSUER' },
    ])
    .run(async ({ assert }, { name, value, missing }) => {
      const complaint = await complaintsAbout({ [name]: value })
      assert.equal(complaint, `- Missing environment variable "${missing}"`)
      const both = { OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'client' }
      assert.isNull(await complaintsAbout(both))
    })
})
