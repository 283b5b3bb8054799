import app from '@adonisjs/core/services/app'

import { complaint, error, type Finding, judgeKey, ok, warning } from '#doctor/settings'
import { describeClients } from '#mcp/known_clients'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { KeyChanges } from '#oauth2/keys/key_changes'

const KEYS = 'OAuth keys'

/** A check of the OAuth server, which finds nothing while it is off. */
const ofServer = (check: (server: AuthorizationServer) => Promise<Finding[]>) => async () =>
  app.container.hasBinding(AuthorizationServer)
    ? check(await app.container.make(AuthorizationServer))
    : []

export const examineOAuth = ofServer(examineKeys)

/** What clients need to trust a sign-in here; nothing while OpenID Connect is off. */
export const examineOpenId = ofServer(async ({ openid, keys, config }) => {
  if (!openid) {
    return []
  }
  await keys.ready()
  return [judgeOpenId({ isAsymmetric: keys.isAsymmetric, issuer: config.issuer! })]
})

/** The set of asymmetric keys, and whether OAUTH_KEY is still needed beside it. Nothing is said while it is off. */
export async function examineKeys(server: Pick<AuthorizationServer, 'config' | 'keys' | 'tokens'>) {
  const { config, keys } = server
  if (config.keys.store === 'none' || config.keys.store === 'memory') {
    return []
  }
  const listed = await new KeyChanges(keys, config.keys.publishFor).list()
  const findings = listed
    .filter(({ state }) => state === 'unusable')
    .map(({ kid }) => {
      const text = `${kid} cannot be decrypted with APP_KEY, or is too weak: add the APP_KEY from before to config/encryption.ts, or "node ace auth:key retire ${kid}"`
      return error(KEYS, text)
    })
  const signing = listed.find(({ state }) => state === 'signs')
  if (!signing) {
    const missing =
      config.key === null
        ? error(KEYS, 'none signs, and OAUTH_KEY is not set. Run "node ace auth:key make"')
        : warning(KEYS, 'none signs yet: OAUTH_KEY does. "node ace auth:key make" makes one')
    return [...findings, missing]
  }
  const since = new Date(signing.signsAt).toISOString()
  findings.push(ok(KEYS, `${signing.algorithm} ${signing.kid} signs, from ${since} on`))
  return config.key === null
    ? findings
    : [...findings, await judgeOldKey(server, listed[0]!.signsAt)]
}

/** The key that signs alone, or beside a set of keys. */
export function judgeOAuthKey(
  { appKey, oauthKey, hasKeySet }: { appKey: string; oauthKey: string | null; hasKeySet?: boolean },
  inProduction: boolean
): Finding[] {
  const complain = complaint(inProduction)
  if (oauthKey === null) {
    const sentence = 'not set: access tokens end when the process does. Set 32 random bytes'
    return hasKeySet ? [] : [complain('OAUTH_KEY', sentence)]
  }
  return oauthKey === appKey
    ? [complain('OAUTH_KEY', 'the same as APP_KEY: who learns one has both. Set another one')]
    : [judgeKey('OAUTH_KEY', oauthKey, inProduction)]
}

/** Whether OAUTH_KEY, which a key of the set has replaced, still has tokens. */
async function judgeOldKey(
  { keys, tokens, config }: Pick<AuthorizationServer, 'config' | 'keys' | 'tokens'>,
  replacedAt: number
): Promise<Finding> {
  const now = Date.now()
  const last = replacedAt + keys.delay
  const isNeeded =
    now < last + config.accessTokenTtl * 1000 || (await tokens.hasActiveFrom(last, now))
  return isNeeded
    ? ok('OAUTH_KEY', 'does not sign any more, but tokens that it has signed may still be in use')
    : warning('OAUTH_KEY', 'no token needs it any more: take it out')
}

const OPENID = 'OpenID Connect'

/** @param sign.isAsymmetric whether the key that signs is published */
export function judgeOpenId(sign: { isAsymmetric: boolean; issuer: string }): Finding {
  if (!sign.isAsymmetric) {
    const text =
      'tokens are signed with a secret, which no client can verify. Set OAUTH_KEYS_STORE=database and run "node ace auth:key make"'
    return error(OPENID, text)
  }
  return sign.issuer.startsWith('https://')
    ? ok(OPENID, `on, as ${sign.issuer}`)
    : warning(OPENID, `clients refuse an issuer without https: ${sign.issuer}. Set OAUTH_ISSUER`)
}

/** Which AI clients connect with the settings at hand; nothing where nobody has to sign in. */
export async function examineMcpClients(): Promise<Finding[]> {
  const mcp = app.container.hasBinding('mcp') ? await app.container.make('mcp') : null
  const clients = mcp?.knownClients
  if (!clients) {
    return []
  }
  const judge = clients.connecting.length > 0 ? ok : warning
  return [judge('MCP clients', describeClients(clients))]
}
