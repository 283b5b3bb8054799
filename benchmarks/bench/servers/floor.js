/*
| The floor: the same work by hand on node:http and prepared statements, for one
| client, without CSRF, events, limits, configuration or pages.
*/

import { createHmac, createSecretKey, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

import { KEY, USERS, addUsers, digest, open } from './shared.js'

const db = open(`${USERS}
CREATE TABLE clients (id TEXT PRIMARY KEY, secret BLOB);
CREATE TABLE access (jti TEXT PRIMARY KEY, client TEXT, user INTEGER, family TEXT, expires INTEGER, revoked INTEGER DEFAULT 0) WITHOUT ROWID;
CREATE TABLE refresh (hash BLOB PRIMARY KEY, family TEXT, jti TEXT, client TEXT, user INTEGER, expires INTEGER, rotated INTEGER DEFAULT 0, revoked INTEGER DEFAULT 0) WITHOUT ROWID;
CREATE INDEX refresh_family ON refresh (family);
CREATE INDEX access_family ON access (family);
CREATE TABLE codes (hash BLOB PRIMARY KEY, client TEXT, user INTEGER, uri TEXT, challenge TEXT, expires INTEGER, used INTEGER DEFAULT 0) WITHOUT ROWID;
CREATE TABLE api_tokens (id INTEGER PRIMARY KEY, user INTEGER, hash BLOB);
CREATE TABLE sessions (hash BLOB PRIMARY KEY, user INTEGER, expires INTEGER) WITHOUT ROWID;`)
addUsers(db)
db.prepare('INSERT INTO clients VALUES (?, ?)').run('bench', digest('bench-secret'))

const sql = (statement) => db.prepare(statement)
const statements = {
  client: sql('SELECT * FROM clients WHERE id = ?'),
  user: sql('SELECT * FROM users WHERE id = ? AND active'),
  access: sql('SELECT * FROM access WHERE jti = ? AND NOT revoked'),
  addAccess: sql('INSERT INTO access (jti, client, user, family, expires) VALUES (?, ?, ?, ?, ?)'),
  endAccess: sql('UPDATE access SET revoked = 1 WHERE jti = ?'),
  refresh: sql('SELECT * FROM refresh WHERE hash = ?'),
  addRefresh: sql(
    'INSERT INTO refresh (hash, family, jti, client, user, expires) VALUES (?, ?, ?, ?, ?, ?)'
  ),
  rotate: sql('UPDATE refresh SET rotated = 1 WHERE hash = ? AND NOT rotated AND NOT revoked'),
  endFamily: sql('UPDATE refresh SET revoked = 1 WHERE family = ?'),
  endFamilyAccess: sql('UPDATE access SET revoked = 1 WHERE family = ?'),
  addCode: sql(
    'INSERT INTO codes (hash, client, user, uri, challenge, expires) VALUES (?, ?, ?, ?, ?, ?)'
  ),
  code: sql('SELECT * FROM codes WHERE hash = ?'),
  redeem: sql('UPDATE codes SET used = 1 WHERE hash = ? AND NOT used'),
  addApiToken: sql('INSERT INTO api_tokens (user, hash) VALUES (?, ?)'),
  apiToken: sql('SELECT * FROM api_tokens WHERE id = ?'),
  addSession: sql('INSERT INTO sessions VALUES (?, ?, ?)'),
  session: sql('SELECT * FROM sessions WHERE hash = ? AND expires > ?'),
}

const key = createSecretKey(KEY)
const HEADER = Buffer.from('{"alg":"HS256","typ":"at+jwt"}').toString('base64url')
const secret = () => randomBytes(32).toString('base64url')
const hmac = (data) => createHmac('sha256', key).update(data).digest('base64url')

function sign(claims) {
  const data = `${HEADER}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${data}.${hmac(data)}`
}

function verify(token) {
  const end = token.lastIndexOf('.')
  const expected = Buffer.from(hmac(token.slice(0, end)))
  const presented = Buffer.from(token.slice(end + 1))
  if (expected.length !== presented.length || !timingSafeEqual(expected, presented)) {
    return null
  }
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url'))
  return claims.exp * 1000 > Date.now() ? claims : null
}

const issue = db.transaction((spend, user, family, old) => {
  if (spend && spend().changes !== 1) {
    return null
  }
  const now = Math.floor(Date.now() / 1000)
  const jti = secret()
  statements.addAccess.run(jti, 'bench', user, family, now + 3600)
  const claims = {
    scope: 'read',
    client_id: 'bench',
    sub: String(user ?? 'bench'),
    jti,
    iat: now,
    exp: now + 3600,
  }
  const answer = {
    access_token: sign(claims),
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'read',
  }
  if (user) {
    answer.refresh_token = secret()
    statements.addRefresh.run(
      digest(answer.refresh_token),
      family,
      jti,
      'bench',
      user,
      now + 86_400
    )
  }
  if (old) {
    statements.endAccess.run(old)
  }
  return answer
})

const grants = {
  client_credentials: () => issue(null, null, null, null),
  refresh_token(form) {
    const presented = digest(form.get('refresh_token') ?? '')
    const row = statements.refresh.get(presented)
    if (!row || row.revoked || !statements.user.get(row.user)) {
      return null
    }
    if (row.rotated) {
      statements.endFamily.run(row.family)
      statements.endFamilyAccess.run(row.family)
      return null
    }
    return issue(() => statements.rotate.run(presented), row.user, row.family, row.jti)
  },
  authorization_code(form) {
    const presented = digest(form.get('code') ?? '')
    const row = statements.code.get(presented)
    const challenge = hash('sha256', form.get('code_verifier') ?? '', 'base64url')
    const isRight =
      row && !row.used && row.uri === form.get('redirect_uri') && row.challenge === challenge
    return isRight && statements.user.get(row.user)
      ? issue(() => statements.redeem.run(presented), row.user, secret(), null)
      : null
  },
}

function isClient({ headers }) {
  const [id, password] = Buffer.from((headers.authorization ?? '').slice(6), 'base64')
    .toString()
    .split(':')
  const client = statements.client.get(id)
  return client && timingSafeEqual(client.secret, digest(password ?? ''))
}

function findSession({ headers }) {
  const [, id] = /(?:^|; )sid=([^;]+)/.exec(headers.cookie ?? '') ?? []
  return id ? statements.session.get(digest(id), Date.now()) : null
}

const bearer = ({ headers }) => (headers.authorization ?? '').slice(7)

/** The id of the user of a GET. */
const guards = {
  '/jwt'(request) {
    const claims = verify(bearer(request))
    return claims && statements.access.get(claims.jti)?.user
  },
  '/token'(request) {
    const [id, password] = bearer(request).split('|')
    const row = statements.apiToken.get(Number(id))
    return row && timingSafeEqual(row.hash, digest(password ?? '')) ? row.user : null
  },
  '/session': (request) => findSession(request)?.user,
}

const posts = {
  '/login'(form, _request, response) {
    const id = secret()
    statements.addSession.run(digest(id), Number(form.get('user')), Date.now() + 3_600_000)
    response.setHeader('set-cookie', `sid=${id}; HttpOnly`)
    const token = secret()
    const { lastInsertRowid } = statements.addApiToken.run(Number(form.get('user')), digest(token))
    return { api_token: `${lastInsertRowid}|${token}` }
  },
  '/authorize'(form, request) {
    const code = secret()
    const { user } = findSession(request)
    statements.addCode.run(
      digest(code),
      'bench',
      user,
      form.get('redirect_uri'),
      form.get('code_challenge'),
      Date.now() + 600_000
    )
    return { code }
  },
  '/oauth/token': (form, request) => isClient(request) && grants[form.get('grant_type')]?.(form),
  '/oauth/introspect'(form, request) {
    const claims = isClient(request) && verify(form.get('token') ?? '')
    const row = claims && statements.access.get(claims.jti)
    return row && statements.user.get(row.user) ? { active: true, ...claims } : { active: false }
  },
  '/oauth/revoke'(form, request) {
    const claims = isClient(request) && verify(form.get('token') ?? '')
    statements.endAccess.run(claims.jti)
    return { revoked: true }
  },
}

function answer(response, status, body) {
  const json = JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(json),
  })
  response.end(json)
}

createServer(async (request, response) => {
  if (request.method === 'GET') {
    const id = guards[request.url]?.(request)
    const user = id && statements.user.get(id)
    return user
      ? answer(response, 200, { id: user.id, email: user.email })
      : answer(response, 401, { error: 'invalid_token' })
  }
  const form = new URLSearchParams(await text(request))
  const body = posts[request.url]?.(form, request, response)
  return body ? answer(response, 200, body) : answer(response, 400, { error: 'invalid_grant' })
}).listen(Number(process.env.PORT), '127.0.0.1')
