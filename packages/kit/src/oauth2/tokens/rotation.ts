import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { Query } from '#database/raw_query'
import { type Guarded, isPostgres } from '#oauth2/tokens/statements'
import { grantLives } from '#oauth2/tokens/token_rows'
import {
  type IssuedRecords,
  type RefreshTokenRecord,
  type Replay,
  familyOf,
} from '#oauth2/tokens/token_store'

/** Spends a code, if it can be. */
export function redeemsCode(
  client: QueryClientContract,
  codeId: string,
  { access }: IssuedRecords,
  now: number
): Query {
  const grant = underGrant(client, access.grantId)
  return {
    sql: `UPDATE oauth_auth_codes SET redeemed_at = ?, access_token_id = ?
      WHERE id = ? AND redeemed_at IS NULL AND revoked_at IS NULL ${grant.sql} RETURNING 1`,
    bindings: [now, access.jti, codeId, ...grant.bindings],
  }
}

/**
 * Spends a refresh token, if it can be. On PostgreSQL the compare-and-set takes the family's lock by
 * itself: a row that changed while it waited is judged anew. SQLite has one writer at a time.
 */
export function rotates(
  client: QueryClientContract,
  token: RefreshTokenRecord,
  now: number,
  replay: Replay | null
): Query {
  const grant = underGrant(client, token.grantId)
  const lock = 'AND EXISTS (SELECT 1 FROM oauth_refresh_tokens WHERE id = ? FOR UPDATE)'
  const [family, familyId] = isPostgres(client) ? [lock, [familyOf(token)]] : ['', []]
  const kept = [replay?.sealed ?? null, replay?.until ?? null]
  return {
    sql: `UPDATE oauth_refresh_tokens
      SET rotated_at = ?, sealed_successor = ?, replayable_until = ?
      WHERE id = ? AND revoked_at IS NULL AND rotated_at IS NULL ${grant.sql} ${family} RETURNING 1`,
    bindings: [now, ...kept, token.id, ...grant.bindings, ...familyId],
  }
}

/** Revokes the access token that a rotation replaces. */
export function revokesReplaced({ accessTokenId }: RefreshTokenRecord, now: number): Guarded {
  return (condition) => ({
    sql: `UPDATE oauth_access_tokens SET revoked_at = ?
      WHERE jti = ? AND revoked_at IS NULL ${condition ? `AND ${condition.sql}` : ''} RETURNING 1`,
    bindings: [now, accessTokenId],
  })
}

/** What is issued under a grant needs it alive. */
function underGrant(client: QueryClientContract, grantId: string | null) {
  return grantId === null
    ? { sql: '', bindings: [] }
    : { sql: `AND ${grantLives(client)}`, bindings: [grantId] }
}
