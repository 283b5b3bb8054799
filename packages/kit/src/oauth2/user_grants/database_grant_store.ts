import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { Owner } from '#auth/users'
import { insertRow, insertion } from '#oauth2/tokens/statements'
import { authorizationCodeRows, grantLives, grantRows } from '#oauth2/tokens/token_rows'
import type { AuthorizationCodeRecord } from '#oauth2/tokens/token_store'
import type OAuthAuthCode from '#oauth2/models/oauth_auth_code'
import OAuthGrant from '#oauth2/models/oauth_grant'
import {
  type Approval,
  type GrantContext,
  type GrantRecord,
  type GrantStore,
  type GrantSubject,
  approvedScopes,
  liveKey,
} from '#oauth2/user_grants/grant_store'
import type { Row } from '#database/direct_connection'
import { recordLastUse } from '#database/last_use'
import { prepareRow } from '#database/models'
import { type Program, runProgram } from '#database/raw_query'
import { isStorable } from '#database/storable_text'

/** At most one row has the key, so of two approvals at once the second finds the row of the first. */
const UPSERT = `
  INSERT INTO oauth_grants (
    id, user_id, provider, client_id, resource, scopes, context, redirect_host, live_key,
    created_at, expires_at
  ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (live_key) DO UPDATE
  SET redirect_host = excluded.redirect_host, expires_at = excluded.expires_at
  RETURNING *`

/**
 * Grants in the table `oauth_grants`, on the connection of the tokens. Whoever issues something under a
 * grant holds its row until the end of the transaction, on PostgreSQL by a share lock; a revocation
 * writes the row first, and the statements after it see all that was issued.
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

  async reuse(code: AuthorizationCodeRecord, { id, scopes }: GrantRecord) {
    const client = this.client()
    const { row, inserted } = await prepareRow(
      this.authCode,
      authorizationCodeRows.write({ ...code, grantId: id })
    )
    const isWritten = await insertRow(client, 'oauth_auth_codes', row, {
      sql: grantLives(client, 'AND scopes = ?'),
      bindings: [id, JSON.stringify(scopes)],
    })
    if (isWritten) {
      await inserted()
    }
    return isWritten
  }

  async find(id: string) {
    if (!isStorable(id)) {
      return null
    }
    const [row] = await OAuthGrant.query({ client: this.client() }).where('id', id).pojo()
    return row ? grantRows.read(row as Row) : null
  }

  async findLiving({ userId, provider, clientId, resource }: GrantSubject, now: number) {
    const living = this.#living({ userId, provider }).where('clientId', clientId)
    const rows = await (
      resource === null ? living.whereNull('resource') : living.where('resource', resource)
    )
      .where('expiresAt', '>', now)
      .pojo()
    return rows.map((row) => grantRows.read(row as Row))
  }

  async list(user: Owner) {
    const rows = await this.#living(user).pojo()
    return rows.map((row) => grantRows.read(row as Row))
  }

  async recordUse(id: string, now: number, before: number) {
    const grants = { table: OAuthGrant.table, key: 'id' }
    await recordLastUse(this.client(), grants, id, now, before)
  }

  async forget(id: string) {
    await OAuthGrant.query({ client: this.client() }).where('id', id).update({ redirectHost: null })
  }

  revoke(id: string, now: number) {
    return runProgram(this.client(), () => revokeInTurn(id, now))
  }

  async endWhere(
    user: Owner,
    matches: (context: GrantContext) => boolean,
    trx: TransactionClientContract
  ) {
    const client = this.client()
    const here = client.connectionName === trx.connectionName ? trx : client
    const rows = await OAuthGrant.query({ client: here })
      .where({ ...user })
      .whereNull('revokedAt')
      .whereNotNull('context')
      .orderBy('id')
    for (const { id } of rows.filter(({ context }) => matches(context!))) {
      await runProgram(here, () => revokeInTurn(id, Date.now()))
    }
  }

  #living({ userId, provider }: Owner) {
    return OAuthGrant.query({ client: this.client() })
      .where({ userId, provider })
      .whereNull('revokedAt')
      .orderBy([{ column: 'createdAt', order: 'desc' }, { column: 'id' }])
  }
}

function* approveInTurn(
  code: AuthorizationCodeRecord,
  approval: Approval,
  row: Record<string, unknown>
): Program<GrantRecord> {
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
function* makeOrFind(
  code: AuthorizationCodeRecord,
  { grantId, context, redirectHost, expiresAt }: Approval
): Program<GrantRecord> {
  const key = liveKey(code, context)
  yield {
    sql: `UPDATE oauth_grants SET live_key = NULL
      WHERE live_key = ? AND expires_at <= ? RETURNING 1 AS updated`,
    bindings: [key, code.createdAt],
  }
  const [row] = yield {
    sql: UPSERT,
    bindings: [
      grantId,
      code.userId,
      code.provider,
      code.clientId,
      code.resource,
      JSON.stringify(code.scopes),
      context && JSON.stringify(context),
      redirectHost,
      key,
      code.createdAt,
      expiresAt,
    ],
  }
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
