import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { affectedRows } from '#support/raw_query'

/** Rows deleted by one statement: a purge never holds its locks for long. */
const BATCH = 500

/**
 * What is past and needed no more (see TokenStore.purge), in the order in
 * which one makes room for the next. Each takes one instant.
 */
const REFRESH_TOKENS = `
  SELECT t.id FROM oauth_refresh_tokens t
  WHERE t.expires_at <= ? AND NOT EXISTS (
    SELECT 1 FROM oauth_refresh_tokens m
    WHERE m.family_id = COALESCE(t.family_id, t.id) AND m.expires_at > ?
  )`

const ACCESS_TOKENS = `
  SELECT t.jti FROM oauth_access_tokens t
  WHERE t.expires_at <= ? AND NOT EXISTS (
    SELECT 1 FROM oauth_refresh_tokens r
    WHERE r.access_token_id = t.jti AND r.rotated_at IS NULL AND r.revoked_at IS NULL
      AND r.expires_at > ?
  )`

const CODES = `
  SELECT t.id FROM oauth_auth_codes t
  WHERE t.expires_at <= ?
    AND NOT EXISTS (SELECT 1 FROM oauth_refresh_tokens r WHERE r.access_token_id = t.access_token_id)
    AND NOT EXISTS (SELECT 1 FROM oauth_access_tokens a WHERE a.jti = t.access_token_id)`

/** Deletes in batches and returns how many rows went. */
export async function purgeTokens(
  client: QueryClientContract,
  now: number,
  familiesBefore: number
): Promise<number> {
  return (
    (await deleteAll(client, 'oauth_refresh_tokens', 'id', REFRESH_TOKENS, [
      familiesBefore,
      familiesBefore,
    ])) +
    (await deleteAll(client, 'oauth_access_tokens', 'jti', ACCESS_TOKENS, [now, now])) +
    (await deleteAll(client, 'oauth_auth_codes', 'id', CODES, [now]))
  )
}

/** On PostgreSQL rows that someone holds are left for the next time, so that a purge waits for nobody. */
async function deleteAll(
  client: QueryClientContract,
  table: string,
  key: string,
  past: string,
  bindings: number[]
) {
  const skip = client.dialect.name === 'postgres' ? 'FOR UPDATE OF t SKIP LOCKED' : ''
  let total = 0
  for (;;) {
    const deleted = affectedRows(
      await client
        .from(table)
        .whereIn(key, client.raw(`${past} LIMIT ${BATCH} ${skip}`, bindings) as any)
        .delete()
    )
    total += deleted
    if (deleted < BATCH) {
      return total
    }
  }
}
