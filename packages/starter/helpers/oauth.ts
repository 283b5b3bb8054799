import { createHash, randomBytes } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest } from '@japa/runner'

import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import type { Client } from '#kit/oauth2/clients/client'
import { DocumentFetcher } from '#kit/http/document_fetcher'
import type { ClientRepository } from '#kit/oauth2/clients/client_repository'
import { type OAuth2Config, defineConfig } from '#kit/oauth2/define_config'
import { createKeySet } from '#kit/oauth2/keys/key_set'
import { MemoryKeyStore } from '#kit/oauth2/keys/key_store'
import { DatabaseClientSessionStore } from '#kit/oauth2/openid/logout/client_session_store'
import type { TokenStore } from '#kit/oauth2/tokens/token_store'
import { Visitor, signedIn } from '#starter/helpers/visitor'

export const REDIRECT_URI = 'https://client.example.com/callback?app=1'
export const RESOURCE = 'https://api.example.com/mcp'
export const OTHER_RESOURCE = 'https://files.example.com'
export const ALL_GRANTS = ['authorization_code', 'client_credentials', 'refresh_token', 'password']

export type Fields = Record<string, string | null | undefined>

/** A client with its secret, as its owner knows it. */
export interface TestClient {
  client: Client
  id: string
  secret: string | null
}

const TABLES = [
  'oauth_access_tokens',
  'oauth_refresh_tokens',
  'oauth_auth_codes',
  'oauth_grants',
  'oauth_pending_authorizations',
  'oauth_device_authorizations',
  'oauth_pushed_requests',
  'oauth_client_sessions',
  'used_once',
  'oauth_clients',
  'oauth_keys',
]

/** Gives a test empty OAuth tables, and takes back what it did to the database. */
export async function isolate(): Promise<() => Promise<void>> {
  const rollback = await testUtils.db().wrapInGlobalTransaction()
  for (const table of TABLES) {
    await db.from(table).delete()
  }
  return rollback
}

/** The server of this process. */
export function authorizationServer(): Promise<AuthorizationServer> {
  return app.container.make(AuthorizationServer)
}

/** Runs the server with other settings until the test ends. */
export async function useConfig(
  overrides: OAuth2Config,
  stores: { tokens?: TokenStore; clients?: ClientRepository } = {}
): Promise<AuthorizationServer> {
  const original = await authorizationServer()
  const config = defineConfig({ ...original.config.given, ...overrides })
  const server = new AuthorizationServer({
    config,
    manager: await app.container.make('auth_manager'),
    keys: await createKeySet({
      config,
      store: config.keys.store === 'none' ? null : (config.keys.instance ?? new MemoryKeyStore()),
      encryption: await app.container.make('encryption'),
      inProduction: false,
      logger: { warn: () => {}, error: () => {} },
    }),
    tokens: stores.tokens ?? original.tokens,
    clientSessions: new DatabaseClientSessionStore(() => db.connection()),
    repository: stores.clients ?? original.clients.repository,
    fetcher: () => app.container.make(DocumentFetcher),
    announce: () => {},
    logger: await app.container.make('logger'),
  })
  app.container.swap(AuthorizationServer, () => server)
  getActiveTest()!.cleanup(() => app.container.restore(AuthorizationServer))
  return server
}

interface ClientOptions {
  name?: string
  redirectUris?: string[]
  confidential?: boolean
  grantTypes?: string[]
  scopes?: string[]
  provider?: string | null
  gracePeriod?: number
}

export async function registerClient(options: ClientOptions = {}): Promise<TestClient> {
  const server = await authorizationServer()
  const [client, secret] = await server.clients.register(
    options.name ?? 'Test client',
    options.redirectUris ?? [REDIRECT_URI],
    options.confidential ?? true,
    options.grantTypes ?? [],
    options.scopes ?? [],
    options.provider ?? null,
    { refreshGracePeriod: options.gracePeriod }
  )
  return { client, id: client.id, secret }
}

/** A public client that has registered itself (RFC 7591). */
export async function registerItself(name: string, redirectUris: string[]): Promise<TestClient> {
  const { clients } = await authorizationServer()
  const [client, secret] = await clients.registerDynamically(
    {
      name,
      redirectUris,
      grantTypes: ['authorization_code', 'refresh_token'],
      authMethod: null,
      requirePushed: false,
      keys: null,
    },
    false
  )
  return { client, id: client.id, secret }
}

export function createPkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Fields by which a client authenticates. */
export function credentials({ id, secret }: TestClient): Fields {
  return { client_id: id, client_secret: secret }
}

/** An `Authorization` header by which a client authenticates (RFC 6749 §2.3.1). */
export function basic(id: string, secret: string | null): { authorization: string } {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  const pair = `${encode(id)}:${encode(secret ?? '')}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

export function encodeForm(fields: Fields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
  return new URLSearchParams(given as [string, string][]).toString()
}

/** Posts a form, given as fields or as raw text, and reads the JSON answer. */
export async function post(
  path: string,
  body: Fields | string,
  headers: Record<string, string> = {}
) {
  const response = await new Visitor().post(path, {
    body: typeof body === 'string' ? body : encodeForm(body),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
  return read(response)
}

export const postToken = (body: Fields | string, headers?: Record<string, string>) =>
  post('/oauth/token', body, headers)

/** Status, headers and JSON body of an answer; no body is null. */
export async function read(response: Response) {
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: (text ? JSON.parse(text) : null) as any,
  }
}

/** The parameters of an authorization request that nothing is wrong with; undefined takes one out. */
export function authorizationFields(client: TestClient, more: Record<string, unknown> = {}) {
  return {
    response_type: 'code',
    client_id: client.id,
    redirect_uri: REDIRECT_URI,
    scope: 'posts:read posts:write',
    state: 'a state',
    code_challenge: createPkce().challenge,
    code_challenge_method: 'S256',
    ...more,
  }
}

/** Posts an approved authorization request as an application's own consent page does. */
export async function authorize(
  visitor: Visitor,
  client: TestClient,
  more: Record<string, unknown> = {}
) {
  return read(
    await visitor.send('/oauth/authorize', {
      ...authorizationFields(client),
      approved: true,
      ...more,
    })
  )
}

/** A code that the user has approved, and the verifier that redeems it. */
export async function obtainCode(
  visitor: Visitor,
  client: TestClient,
  more: Record<string, unknown> = {}
) {
  const { verifier, challenge } = createPkce()
  const { status, body } = await authorize(visitor, client, { code_challenge: challenge, ...more })
  if (status !== 200) {
    throw new Error(`The authorization request was refused: ${JSON.stringify(body)}`)
  }
  return { code: body.code as string, verifier }
}

/** The fields of a token request that redeems a code. */
export function redemption(
  client: TestClient,
  { code, verifier }: { code: string; verifier: string },
  more: Fields = {}
): Fields {
  return {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
    ...credentials(client),
    ...more,
  }
}

/** The fields of a token request that refreshes. */
export function refreshing(client: TestClient | null, token: string, more: Fields = {}): Fields {
  return {
    grant_type: 'refresh_token',
    refresh_token: token,
    ...(client && credentials(client)),
    ...more,
  }
}

/** The token response for a code that the user has approved. */
export async function obtainTokens(
  visitor: Visitor,
  client: TestClient,
  more: Record<string, unknown> = {}
): Promise<{ access_token: string; refresh_token: string; scope: string; expires_in: number }> {
  const { status, body } = await postToken(
    redemption(client, await obtainCode(visitor, client, more))
  )
  if (status !== 200) {
    throw new Error(`The code was refused: ${JSON.stringify(body)}`)
  }
  return body
}

/** Somebody who is signed in, a client, and the tokens that they gave it. */
export async function granted(options: ClientOptions = {}, more: Record<string, unknown> = {}) {
  const { user, visitor } = await signedIn()
  const client = await registerClient(options)
  return { user, visitor, client, tokens: await obtainTokens(visitor, client, more) }
}

/** Whether an access token opens a protected route. */
export async function opens(accessToken: string): Promise<boolean> {
  const response = await new Visitor().get('/api/me', {
    headers: { authorization: `Bearer ${accessToken}` },
  })
  return response.status === 200
}
