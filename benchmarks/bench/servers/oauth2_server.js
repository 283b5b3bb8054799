/* @node-oauth/oauth2-server on Express, with a model over prepared statements. JWTs by its hook, with a row for revocation. */

import { randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'

import OAuth2Server from '@node-oauth/oauth2-server'
import express from 'express'
import { SignJWT, jwtVerify } from 'jose'

import { KEY, USERS, addUsers, digest, open } from './shared.js'

const db = open(`${USERS}
CREATE TABLE clients (id TEXT PRIMARY KEY, secret BLOB);
CREATE TABLE access (hash BLOB PRIMARY KEY, client TEXT, user INTEGER, scope TEXT, expires INTEGER, revoked INTEGER DEFAULT 0) WITHOUT ROWID;
CREATE TABLE refresh (hash BLOB PRIMARY KEY, client TEXT, user INTEGER, scope TEXT, expires INTEGER, revoked INTEGER DEFAULT 0) WITHOUT ROWID;
CREATE TABLE codes (hash BLOB PRIMARY KEY, client TEXT, user INTEGER, uri TEXT, scope TEXT, challenge TEXT, expires INTEGER) WITHOUT ROWID;
CREATE TABLE sessions (hash BLOB PRIMARY KEY, user INTEGER, expires INTEGER) WITHOUT ROWID;`)
addUsers(db)
db.prepare('INSERT INTO clients VALUES (?, ?)').run('bench', digest('bench-secret'))

const sql = (statement) => db.prepare(statement)
const statements = {
  client: sql('SELECT * FROM clients WHERE id = ?'),
  user: sql('SELECT * FROM users WHERE id = ? AND active'),
  addAccess: sql('INSERT INTO access (hash, client, user, scope, expires) VALUES (?, ?, ?, ?, ?)'),
  access: sql('SELECT * FROM access WHERE hash = ? AND NOT revoked'),
  endAccess: sql('UPDATE access SET revoked = 1 WHERE hash = ?'),
  addRefresh: sql(
    'INSERT INTO refresh (hash, client, user, scope, expires) VALUES (?, ?, ?, ?, ?)'
  ),
  refresh: sql('SELECT * FROM refresh WHERE hash = ? AND NOT revoked'),
  endRefresh: sql('UPDATE refresh SET revoked = 1 WHERE hash = ? AND NOT revoked'),
  addCode: sql('INSERT INTO codes VALUES (?, ?, ?, ?, ?, ?, ?)'),
  code: sql('SELECT * FROM codes WHERE hash = ?'),
  endCode: sql('DELETE FROM codes WHERE hash = ?'),
  addSession: sql('INSERT INTO sessions VALUES (?, ?, ?)'),
  session: sql('SELECT * FROM sessions WHERE hash = ? AND expires > ?'),
}
const algorithm = { name: 'HMAC', hash: 'SHA-256' }
const key = await crypto.subtle.importKey('raw', KEY, algorithm, false, ['sign', 'verify'])

const save = db.transaction((token, client, user) => {
  const scope = token.scope.join(' ')
  const expires = token.accessTokenExpiresAt.getTime()
  statements.addAccess.run(digest(token.accessToken), client.id, user.id ?? null, scope, expires)
  if (token.refreshToken) {
    const end = token.refreshTokenExpiresAt.getTime()
    statements.addRefresh.run(digest(token.refreshToken), client.id, user.id, scope, end)
  }
})

const model = {
  async getClient(id, secret) {
    const row = statements.client.get(id)
    const isRight = row && (!secret || timingSafeEqual(row.secret, digest(secret)))
    const grants = ['authorization_code', 'refresh_token', 'client_credentials']
    return isRight ? { id, grants, redirectUris: ['https://client.test/cb'] } : null
  },
  getUserFromClient: async (client) => ({ client: client.id }),
  validateScope: async () => ['read'],
  async generateAccessToken(client, user) {
    const claims = { scope: 'read', client_id: client.id, sub: String(user.id ?? client.id) }
    return new SignJWT({ ...claims, jti: randomUUID() })
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(key)
  },
  async saveToken(token, client, user) {
    save(token, client, user)
    return { ...token, client, user }
  },
  async getAccessToken(token) {
    const isOurs = await jwtVerify(token, key, { algorithms: ['HS256'] }).catch(() => null)
    const row = isOurs && statements.access.get(digest(token))
    const user = row && statements.user.get(row.user)
    const accessTokenExpiresAt = row && new Date(row.expires)
    return user
      ? {
          accessToken: token,
          accessTokenExpiresAt,
          scope: ['read'],
          client: { id: row.client },
          user,
        }
      : null
  },
  async getRefreshToken(token) {
    const row = statements.refresh.get(digest(token))
    const user = row && statements.user.get(row.user)
    const refreshTokenExpiresAt = row && new Date(row.expires)
    return user
      ? {
          refreshToken: token,
          refreshTokenExpiresAt,
          scope: ['read'],
          client: { id: row.client },
          user,
        }
      : null
  },
  revokeToken: async ({ refreshToken }) =>
    statements.endRefresh.run(digest(refreshToken)).changes === 1,
  async saveAuthorizationCode(code, client, user) {
    const { authorizationCode, redirectUri, codeChallenge, expiresAt } = code
    const expires = expiresAt.getTime()
    statements.addCode.run(
      digest(authorizationCode),
      client.id,
      user.id,
      redirectUri,
      'read',
      codeChallenge,
      expires
    )
    return { ...code, client, user }
  },
  async getAuthorizationCode(code) {
    const row = statements.code.get(digest(code))
    const user = row && statements.user.get(row.user)
    return user
      ? {
          authorizationCode: code,
          expiresAt: new Date(row.expires),
          redirectUri: row.uri,
          scope: ['read'],
          codeChallenge: row.challenge,
          codeChallengeMethod: 'S256',
          client: { id: row.client },
          user,
        }
      : null
  },
  revokeAuthorizationCode: async ({ authorizationCode }) =>
    statements.endCode.run(digest(authorizationCode)).changes === 1,
}

const oauth = new OAuth2Server({ model, accessTokenLifetime: 3600, refreshTokenLifetime: 86_400 })
const app = express()
app.disable('x-powered-by')
app.set('etag', false)
app.use(express.urlencoded({ extended: false }))

/** Answers with what the library says. */
const handle = (work) => async (request, response) => {
  const outgoing = new OAuth2Server.Response(response)
  try {
    const body = await work(new OAuth2Server.Request(request), outgoing)
    response
      .set(outgoing.headers)
      .status(outgoing.status ?? 200)
      .json(body ?? outgoing.body)
  } catch (error) {
    response.status(error.code ?? 500).json({ error: error.name })
  }
}

app.get('/health', (_request, response) => response.json({}))
app.post('/login', (request, response) => {
  const id = randomBytes(32).toString('base64url')
  statements.addSession.run(digest(id), Number(request.body.user), Date.now() + 3_600_000)
  response.set('set-cookie', `sid=${id}; HttpOnly`).json({})
})
app.post('/revoke', (request, response) => {
  statements.endAccess.run(digest(request.body.token))
  response.json({})
})
app.post(
  '/oauth/token',
  handle(async (request, response) => void (await oauth.token(request, response)))
)
app.post(
  '/authorize',
  handle(async (request, response) => {
    const authenticateHandler = {
      handle({ headers }) {
        const [, id] = /(?:^|; )sid=([^;]+)/.exec(headers.cookie ?? '') ?? []
        const session = id && statements.session.get(digest(id), Date.now())
        return session ? statements.user.get(session.user) : null
      },
    }
    const code = await oauth.authorize(request, response, { authenticateHandler })
    response.status = 200
    return { code: code.authorizationCode }
  })
)
app.get(
  '/me',
  handle(async (request, response) => {
    const { user } = await oauth.authenticate(request, response)
    return { id: user.id, email: user.email }
  })
)
app.listen(Number(process.env.PORT), '127.0.0.1')
