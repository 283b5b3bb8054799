import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { ContextMatch } from '#auth/credential_contexts'
import type { Owner } from '#auth/users'
import { decisionOf } from '#oauth2/device/device_store'
import { assertWaits } from '#oauth2/parameters'
import { grantLives } from '#oauth2/tokens/statements'
import type { AuthorizationCodeRecord } from '#oauth2/tokens/token_store'
import type OAuthAuthCode from '#oauth2/models/oauth_auth_code'
import OAuthGrant from '#oauth2/models/oauth_grant'
import {
  type Approval,
  type GrantRecord,
  type GrantStore,
  type GrantSubject,
  approvedScopes,
  newGrant,
} from '#oauth2/user_grants/grant_store'
import { RowCodec, kindsOf } from '#database/raw_rows'
import { OauthAuthCodeSchema, OauthGrantSchema } from '#database/schema'
import {
  type Program,
  type Query,
  type Row,
  changeRows,
  insertion,
  prepareRow,
  recordLastUse,
  runProgram,
  within,
} from '#database/raw_query'
import { isStorable } from '#database/storable_text'
import { sortMembers } from '#process/objects'
import { hashSecret } from '#security/secrets'

export const authorizationCodeRows = new RowCodec<AuthorizationCodeRecord>({
  ...kindsOf<AuthorizationCodeRecord>(OauthAuthCodeSchema),
  authentication: 'json',
})

const grantRows = new RowCodec<GrantRecord>(kindsOf(OauthGrantSchema, ['liveKey']))

/** At most one row has the key, so of two approvals at once the second finds the row of the first. */
const OR_FIND = {
  conflict: `ON CONFLICT (live_key) DO UPDATE
    SET redirect_host = excluded.redirect_host, expires_at = excluded.expires_at`,
  returning: '*',
}

/**
 * Grants on the connection of the tokens. Whoever issues something under a grant holds its row until the
 * end of the transaction, on PostgreSQL by a share lock; a revocation writes the row first, and the
 * statements after it see all that was issued.
 */
export class DatabaseGrantStore implements GrantStore {
  constructor(
    protected client: () => QueryClientContract,
    protected authCode: typeof OAuthAuthCode
  ) {}

  /** Hooks of the code's model run before the grant is known. */
  async approve(code: AuthorizationCodeRecord, approval: Approval): Promise<GrantRecord> {
    const { row, inserted } = await prepareRow(this.authCode, authorizationCodeRows.write(code))
    const grant = await runProgram(this.client(), () => approveInTurn(code, approval, row))
    await inserted()
    return grant
  }

  reuse(code: AuthorizationCodeRecord, { id, scopes }: GrantRecord) {
    const sql = grantLives(this.client(), 'AND scopes = ?')
    const isUnchanged = { sql, bindings: [id, JSON.stringify(scopes)] }
    return this.insertCode({ ...code, grantId: id }, isUnchanged)
  }

  /** Inserts a code, with the hooks of its model around it; false when the condition does not hold. */
  async insertCode(code: AuthorizationCodeRecord, condition?: Query) {
    const { row, inserted } = await prepareRow(this.authCode, authorizationCodeRows.write(code))
    const statement = insertion('oauth_auth_codes', row, { condition })
    const written = await changeRows(this.client(), statement)
    if (written.length) {
      await inserted()
    }
    return written.length > 0
  }

  async find(id: string) {
    const [row] = isStorable(id) ? await this.#grants().where('id', id).pojo<Row>() : []
    return row ? grantRows.read(row) : null
  }

  async findLiving({ clientId, resource, ...user }: GrantSubject, now: number) {
    const living = this.#living(user).where({ clientId, resource }).where('expiresAt', '>', now)
    return readAll(await living)
  }

  async list(user: Owner) {
    return readAll(await this.#living(user))
  }

  async recordUse(id: string, now: number, before: number) {
    await recordLastUse(this.client(), { table: OAuthGrant.table, key: 'id' }, id, now, before)
  }

  async forget(id: string) {
    await this.#grants().where('id', id).update({ redirectHost: null })
  }

  revoke(id: string, now: number) {
    return runProgram(this.client(), () => revokeInTurn(id, now))
  }

  async endWhere(owner: Owner, matches: ContextMatch, trx: TransactionClientContract) {
    const client = within(trx, this.client())
    const bound = this.#grants(client).where(owner).whereNotNull('context')
    const rows = await bound.whereNull('revokedAt').orderBy('id')
    for (const { id } of rows.filter(({ context }) => matches(context!))) {
      await runProgram(client, () => revokeInTurn(id, Date.now()))
    }
  }

  #living({ userId, provider }: Owner) {
    const living = this.#grants().where({ userId, provider }).whereNull('revokedAt')
    return living.orderBy('createdAt', 'desc').orderBy('id').pojo<Row>()
  }

  #grants(client: QueryClientContract = this.client()) {
    return OAuthGrant.query({ client })
  }
}

const readAll = (rows: Row[]) => rows.map((row) => grantRows.read(row))

function* approveInTurn(
  code: AuthorizationCodeRecord,
  approval: Approval,
  row: Record<string, unknown>
): Program<GrantRecord> {
  const { deviceCodeHash } = approval
  if (deviceCodeHash) {
    const decision = { approved: true, codeHash: code.codeHash } as const
    const decided = yield decisionOf(deviceCodeHash, decision, Date.now())
    assertWaits(decided.length)
  }
  const grant = yield* makeOrFind(code, approval)
  const { scopes, withdrawn } = approvedScopes(grant.scopes, code, approval)
  if (scopes.length !== grant.scopes.length || withdrawn) {
    yield {
      sql: 'UPDATE oauth_grants SET scopes = ? WHERE id = ? RETURNING 1 AS updated',
      bindings: [JSON.stringify(scopes), grant.id],
    }
  }
  if (withdrawn) {
    yield* revokeUnder(grant, code.createdAt)
  }
  yield insertion('oauth_auth_codes', { ...row, grant_id: grant.id })
  return { ...grant, scopes }
}

/** An approval that has expired is not widened by a new one: its scopes were not asked for again. */
function* makeOrFind(code: AuthorizationCodeRecord, approval: Approval): Program<GrantRecord> {
  const grant = newGrant(code, approval)
  const { provider, userId, clientId, resource, context, createdAt } = grant
  const parts = [provider, userId, clientId, resource, context]
  const key = hashSecret(JSON.stringify(parts, sortMembers))
  yield {
    sql: `UPDATE oauth_grants SET live_key = NULL
      WHERE live_key = ? AND expires_at <= ? RETURNING 1 AS updated`,
    bindings: [key, createdAt],
  }
  const made = { ...grantRows.write(grant), live_key: key }
  const [row] = yield insertion('oauth_grants', made, OR_FIND)
  return grantRows.read(row!)
}

function* revokeInTurn(id: string, now: number): Program<boolean> {
  const [row] = yield {
    sql: `UPDATE oauth_grants SET revoked_at = ?, expires_at = ?, live_key = NULL
      WHERE id = ? AND revoked_at IS NULL RETURNING *`,
    bindings: [now, now, id],
  }
  if (!row) {
    return false
  }
  yield* revokeUnder(grantRows.read(row), now)
  return true
}

/** The index of these tables begins with the user. */
function* revokeUnder(
  { id, userId, provider }: Pick<GrantRecord, 'id' | 'userId' | 'provider'>,
  now: number
): Program<void> {
  for (const table of ['oauth_auth_codes', 'oauth_refresh_tokens', 'oauth_access_tokens']) {
    yield {
      sql: `UPDATE ${table} SET revoked_at = ?
        WHERE user_id = ? AND provider = ? AND grant_id = ? AND revoked_at IS NULL RETURNING 1 AS updated`,
      bindings: [now, userId, provider, id],
    }
  }
}
