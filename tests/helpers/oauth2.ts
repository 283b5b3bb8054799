import { createHash, randomBytes } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import type { ApiClient } from '@japa/api-client'

import User from '#models/user'
import { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import { type OAuth2Config, defineConfig } from '#oauth2/define_config'
import { loadSigningKey } from '#oauth2/tokens/signing_key'

export const REDIRECT_URI = 'https://client.example.com/callback?app=1'
export const PASSWORD = 'correct horse battery'

export interface TestClient {
  client: Client
  id: string
  secret: string | null
}

export async function createUser(attributes: Partial<Record<string, unknown>> = {}): Promise<User> {
  return User.create({
    email: `${randomBytes(8).toString('hex')}@example.com`,
    password: PASSWORD,
    ...attributes,
  })
}

export async function registerClient(
  options: {
    name?: string
    redirectUris?: string[]
    confidential?: boolean
    grantTypes?: string[]
    scopes?: string[]
    provider?: string | null
  } = {}
): Promise<TestClient> {
  const server = await app.container.make(AuthorizationServer)
  const [client, secret] = await server.clients.register(
    options.name ?? 'Test client',
    options.redirectUris ?? [REDIRECT_URI],
    options.confidential ?? true,
    options.grantTypes ?? [],
    options.scopes ?? [],
    options.provider ?? null
  )
  return { client, id: client.id, secret }
}

export function createPkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Runs the server with other settings until the returned function is called. */
export async function useConfig(overrides: OAuth2Config): Promise<() => void> {
  const original = await app.container.make(AuthorizationServer)
  const manager = await app.container.make('auth_manager')
  const config = defineConfig({ ...original.config.given, ...overrides })
  const server = new AuthorizationServer({
    config,
    manager,
    key: await loadSigningKey(config, { inProduction: false, warn: () => {} }),
    tokens: original.tokens,
    clients: original.clients.repository,
    announce: () => {},
  })
  app.container.swap(AuthorizationServer, () => server)
  return () => app.container.restore(AuthorizationServer)
}

/** Headers of a browser in which the user is signed in. */
export async function signIn(client: ApiClient, user: User): Promise<Record<string, string>> {
  const response = await client
    .post('/login')
    .accept('json')
    .json({ email: user.email, password: PASSWORD })
  response.assertStatus(200)
  const cookies = [response.header('set-cookie') as unknown as string[]].flat()
  const pairs = cookies.map((cookie) => cookie.split(';')[0])
  const csrf = pairs.find((pair) => pair.startsWith('XSRF-TOKEN='))!
  return {
    'Cookie': pairs.join('; '),
    'X-XSRF-TOKEN': decodeURIComponent(csrf.slice('XSRF-TOKEN='.length)),
  }
}

export type Fields = Record<string, string | boolean | null | undefined>

/** The parameters of an authorization request that nothing is wrong with. */
export function authorizationFields(
  client: TestClient,
  challenge: string | null,
  more: Fields = {}
) {
  const fields: Fields = {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: REDIRECT_URI,
    scope: 'posts:read posts:write',
    state: 'a state',
    ...(challenge !== null && { code_challenge: challenge, code_challenge_method: 'S256' }),
    ...more,
  }
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined)
  ) as Record<string, string>
}

export function form(fields: Fields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
}

export function basic(id: string, secret: string): string {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}

/** Posts a form, given as fields or as it stands. */
export function postForm(client: ApiClient, path: string, body: Fields | string) {
  return client
    .post(path)
    .header('Content-Type', 'application/x-www-form-urlencoded')
    .accept('json')
    .form((typeof body === 'string' ? body : form(body)) as any)
}

/** Fields by which a client authenticates. */
export function credentials({ id, secret }: TestClient): Fields {
  return { client_id: id, client_secret: secret ?? undefined }
}

/** A code that the user has approved, by HTTP. */
export async function obtainCode(
  client: ApiClient,
  user: User,
  oauthClient: TestClient,
  more: Fields = {}
) {
  const { verifier, challenge } = createPkce()
  const response = await client
    .post('/oauth/authorize')
    .headers(await signIn(client, user))
    .accept('json')
    .json({ ...authorizationFields(oauthClient, challenge, more), approved: true })
  response.assertStatus(200)
  return { code: response.body().code as string, verifier }
}

/** The tokens of a code that the user has approved, by HTTP. */
export async function obtainTokens(
  client: ApiClient,
  user: User,
  oauthClient: TestClient,
  more: Fields = {}
): Promise<Record<string, any> & { access_token: string; refresh_token: string }> {
  const { code, verifier } = await obtainCode(client, user, oauthClient, more)
  const response = await postForm(client, '/oauth/token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    code_verifier: verifier,
    ...credentials(oauthClient),
  })
  response.assertStatus(200)
  return response.body()
}
