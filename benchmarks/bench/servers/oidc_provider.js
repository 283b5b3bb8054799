/* oidc-provider with an adapter over prepared statements; opaque access tokens, since it keeps no rows of JWTs. */

import { Provider } from 'oidc-provider'

import { open } from './shared.js'

const API = 'https://api.test/'
const db = open(`
CREATE TABLE records (type TEXT, id TEXT, payload TEXT, grant_id TEXT, uid TEXT, expires INTEGER, consumed INTEGER, PRIMARY KEY (type, id)) WITHOUT ROWID;
CREATE INDEX records_grant ON records (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX records_uid ON records (uid) WHERE uid IS NOT NULL;`)
const sql = (statement) => db.prepare(statement)
const statements = {
  upsert:
    sql(`INSERT INTO records (type, id, payload, grant_id, uid, expires) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (type, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid, expires = excluded.expires`),
  find: sql('SELECT * FROM records WHERE type = ? AND id = ?'),
  findByUid: sql('SELECT * FROM records WHERE uid = ? AND type = ?'),
  consume: sql('UPDATE records SET consumed = ? WHERE type = ? AND id = ?'),
  destroy: sql('DELETE FROM records WHERE type = ? AND id = ?'),
  endGrant: sql('DELETE FROM records WHERE grant_id = ?'),
}
const seconds = () => Math.floor(Date.now() / 1000)

function toPayload(row) {
  if (!row || (row.expires && row.expires < seconds())) {
    return undefined
  }
  return { ...JSON.parse(row.payload), ...(row.consumed && { consumed: row.consumed }) }
}

class Adapter {
  constructor(type) {
    this.type = type
  }
  async upsert(id, payload, ttl) {
    const { grantId = null, uid = null } = payload
    const expires = ttl ? seconds() + ttl : null
    statements.upsert.run(this.type, id, JSON.stringify(payload), grantId, uid, expires)
  }
  find = async (id) => toPayload(statements.find.get(this.type, id))
  findByUid = async (uid) => toPayload(statements.findByUid.get(uid, this.type))
  findByUserCode = async () => undefined
  consume = async (id) => void statements.consume.run(seconds(), this.type, id)
  destroy = async (id) => void statements.destroy.run(this.type, id)
  revokeByGrantId = async (grant) => void statements.endGrant.run(grant)
}

const findAccount = async (_ctx, id) => ({
  accountId: id,
  claims: async () => ({ sub: id, email: `${id}@bench.test` }),
})

const provider = new Provider(`http://127.0.0.1:${process.env.PORT}`, {
  adapter: Adapter,
  findAccount,
  clients: [
    {
      client_id: 'bench',
      client_secret: 'bench-secret',
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
      redirect_uris: ['https://client.test/cb'],
      response_types: ['code'],
    },
  ],
  cookies: { keys: ['benchmark-benchmark'] },
  scopes: ['openid', 'offline_access'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    introspection: { enabled: true, allowedPolicy: async () => true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: async () => true,
      defaultResource: async () => API,
      getResourceServerInfo: async () => ({
        scope: 'read',
        audience: API,
        accessTokenTTL: 3600,
        accessTokenFormat: 'opaque',
      }),
    },
  },
  async loadExistingGrant({ oidc }) {
    const id = oidc.result?.consent?.grantId ?? oidc.session.grantIdFor(oidc.client.clientId)
    const existing = id && (await provider.Grant.find(id))
    if (existing) {
      return existing
    }
    const { clientId } = oidc.client
    const grant = new provider.Grant({ clientId, accountId: oidc.session.accountId })
    grant.addOIDCScope('openid')
    grant.addResourceScope(API, 'read')
    await grant.save()
    return grant
  },
})

/** The account that makes a request, by the library's own look-ups. */
const guards = {
  async '/me/token'(ctx) {
    const token = await provider.AccessToken.find(ctx.get('authorization').slice(7))
    const grant = token?.isValid && (await provider.Grant.find(token.grantId))
    return grant ? token.accountId : null
  },
  '/me/session': async (ctx) => (await provider.Session.get(ctx)).accountId,
}

provider.use(async (ctx, next) => {
  if (ctx.path === '/health') {
    ctx.body = {}
    return
  }
  if (ctx.path.startsWith('/login/')) {
    ctx.respond = false
    const result = { login: { accountId: ctx.query.user } }
    await provider.interactionFinished(ctx.req, ctx.res, result)
    return
  }
  const guard = guards[ctx.path]
  if (!guard) {
    await next()
    return
  }
  const id = await guard(ctx)
  const account = id && (await findAccount(ctx, id))
  ctx.status = account ? 200 : 401
  ctx.body = account ? { id, email: (await account.claims()).email } : { error: 'invalid_token' }
})
provider.listen(Number(process.env.PORT), '127.0.0.1')
