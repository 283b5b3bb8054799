import { createHash, randomBytes } from 'node:crypto'

import { runScript } from '#starter/helpers/server_process'
import { Visitor } from '#starter/helpers/visitor'

const REDIRECT_URI = 'https://client.example.com/callback'

/** A confidential client of the server. */
export interface FuzzClient {
  id: string
  secret: string
}

/** Somebody with an account, and everything that proves who they are. */
export interface Caller {
  email: string
  password: string
  newPassword: string
  cookie: string
  csrfToken: string
  apiToken: string
  accessToken: string
  refreshToken: string
  code: string
  verifier: string
  redirectUri: string
  client: FuzzClient
  /** `client_id:client_secret` as HTTP Basic sends it. */
  basic: string
  postId: string
  /** What no log and no answer may contain. */
  secrets: Record<string, string>
}

/** Registers a client with the command that people use. */
export async function registerClient(env: Record<string, string>): Promise<FuzzClient> {
  const { stdout, stderr } = await runScript(
    'bin/console.ts',
    [
      'auth:oauth2:client',
      '--name=Fuzz',
      `--redirect-uri=${REDIRECT_URI}`,
      '--grant-types=authorization_code refresh_token client_credentials password',
    ],
    env
  )
  const valueOf = (label: string) => {
    const value = new RegExp(`^${label}: (\\S+)$`, 'm').exec(stdout)?.[1]
    if (!value) {
      throw new Error(`No client was registered: ${stdout}${stderr}`)
    }
    return value
  }
  return { id: valueOf('Client ID'), secret: valueOf('Client secret') }
}

/** Registers a user over HTTP, signs it in, and gets it a token of each kind. */
export async function signUp(url: string, client: FuzzClient): Promise<Caller> {
  const visitor = new Visitor()
  const email = `${randomBytes(8).toString('hex')}@example.com`
  const password = `Pw1-${randomBytes(16).toString('hex')}`
  const newPassword = `Pw2-${randomBytes(16).toString('hex')}`
  /* Registrations of one address are limited. */
  const from = { 'x-forwarded-for': `10.1.${randomBytes(2).join('.')}` }

  const post = async (path: string, json: unknown, type = 'application/json') => {
    const response = await visitor.request('POST', url + path, {
      body: JSON.stringify(json),
      headers: { 'content-type': type, 'accept': type, ...from },
      csrf: visitor.cookies.size > 0,
    })
    if (response.status >= 300) {
      throw new Error(`POST ${path} was refused: ${response.status} ${await response.text()}`)
    }
    return (await response.json().catch(() => ({}))) as any
  }

  await post('/register', { email, password, password_confirmation: password })
  if (!visitor.cookies.has('service_session')) {
    await post('/login', { email, password })
  }
  const { token: apiToken } = await post('/api/tokens', {
    name: 'Fuzz',
    abilities: ['posts:read', 'posts:write'],
  })
  const authorize = async () => {
    const verifier = randomBytes(32).toString('base64url')
    const { code } = await post('/oauth/authorize', {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: REDIRECT_URI,
      scope: 'posts:read posts:write',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      approved: true,
    })
    return { code: code as string, verifier }
  }
  const { code, verifier } = await authorize()
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: REDIRECT_URI,
    client_id: client.id,
    client_secret: client.secret,
  })
  const tokens: any = await (
    await fetch(`${url}/oauth/token`, { method: 'POST', body: form })
  ).json()
  const document = { data: { type: 'posts', attributes: { title: 'A post', body: 'Its text' } } }
  const post1 = await post('/api/posts', document, 'application/vnd.api+json')

  const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64')
  return {
    email,
    password,
    newPassword,
    cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    csrfToken: visitor.csrfToken,
    apiToken,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    ...(await authorize()),
    redirectUri: REDIRECT_URI,
    client,
    basic,
    postId: post1.data.id,
    secrets: {
      'a password': password,
      'a new password': newPassword,
      'an API token': apiToken,
      'an access token': tokens.access_token,
      'a refresh token': tokens.refresh_token,
      'a client secret': client.secret,
      'client credentials': basic,
      'a session cookie': visitor.cookies.get('service_session')!,
      'a session id': sessionId(visitor.cookies.get('service_session')!),
    },
  }
}

/** What AdonisJS's signed cookie carries: `s:` and JSON in Base64, a dot, the signature. */
function sessionId(cookie: string): string {
  const [signed] = decodeURIComponent(cookie).slice(2).split('.')
  return JSON.parse(Buffer.from(signed!, 'base64url').toString()).message
}
