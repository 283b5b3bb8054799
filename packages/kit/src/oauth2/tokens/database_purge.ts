import { setImmediate } from 'node:timers/promises'

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { EXPIRED_KEPT } from '#oauth2/device/device_store'
import {
  ExpiredRows,
  type ExpiredRowsOptions,
  type IsSpent,
  timeBudget,
} from '#database/expired_rows'
import { isPostgres } from '#oauth2/tokens/statements'
import { selectRows } from '#database/raw_query'
import type { MaybePromise } from '#process/maybe_promise'

/** Rows of one statement: on SQLite the whole process waits for it. */
const REPLAYS_AT_ONCE = 100

/** The row that a family is locked by: its first token, and any token older than families. */
const IS_LOCK = '(t.family_id IS NULL OR t.family_id = t.id)'

/** The index of what is under grants begins with the user. */
const IS_UNDER_GRANT = 'u.user_id = t.user_id AND u.provider = t.provider AND u.grant_id = t.id'

const IS_ISSUED_WITH = 'SELECT 1 FROM oauth_refresh_tokens r WHERE r.access_token_id'

/**
 * Expired rows and what keeps them, decided by one look into an index each. Each step allows the next:
 * members of families, then their lock rows, then what was issued together with them, then grants.
 */
const STEPS: (ExpiredRowsOptions & { isOfFamily?: true; kept?: number })[] = [
  { table: 'oauth_refresh_tokens', key: 'id', keep: IS_LOCK, isOfFamily: true },
  {
    table: 'oauth_refresh_tokens',
    key: 'id',
    keep: `NOT ${IS_LOCK} OR EXISTS (
      SELECT 1 FROM oauth_refresh_tokens m WHERE m.family_id = t.id AND m.id <> t.id
    )`,
    isOfFamily: true,
  },
  { table: 'oauth_access_tokens', key: 'jti', keep: `EXISTS (${IS_ISSUED_WITH} = t.jti)` },
  {
    table: 'oauth_auth_codes',
    key: 'id',
    keep: `t.access_token_id IS NOT NULL AND (
      EXISTS (${IS_ISSUED_WITH} = t.access_token_id)
      OR EXISTS (SELECT 1 FROM oauth_access_tokens a WHERE a.jti = t.access_token_id)
    )`,
  },
  {
    table: 'oauth_grants',
    key: 'id',
    keep: ['oauth_auth_codes', 'oauth_refresh_tokens', 'oauth_access_tokens']
      .map((table) => `EXISTS (SELECT 1 FROM ${table} u WHERE ${IS_UNDER_GRANT})`)
      .join(' OR '),
  },
  { table: 'oauth_device_authorizations', key: 'device_code_hash', kept: EXPIRED_KEPT },
]

export class TokenPurge {
  readonly #steps = STEPS.map((step) => ({ rows: new ExpiredRows(step), ...step }))

  constructor(protected others: { purge(now: number, isSpent: IsSpent): MaybePromise<number> }[]) {}

  async run(client: QueryClientContract, now: number, familiesBefore: number): Promise<number> {
    const isSpent = timeBudget()
    await forgetReplays(client, now, isSpent)
    let deleted = 0
    for (const { rows, isOfFamily, kept = 0 } of this.#steps) {
      deleted += await rows.purge(client, isOfFamily ? familiesBefore : now - kept, isSpent)
    }
    for (const records of this.others) {
      deleted += await records.purge(now, isSpent)
    }
    return deleted
  }
}

/** Rotated tokens whose replay window has ended keep nothing for it. */
async function forgetReplays(client: QueryClientContract, now: number, isSpent: IsSpent) {
  const lock = isPostgres(client) ? 'FOR UPDATE SKIP LOCKED' : ''
  const statement = `
    UPDATE oauth_refresh_tokens SET sealed_successor = NULL, replayable_until = NULL
    WHERE id IN (
      SELECT id FROM oauth_refresh_tokens WHERE replayable_until <= ? LIMIT ${REPLAYS_AT_ONCE} ${lock}
    ) RETURNING 1`
  while (!isSpent()) {
    const forgotten = await selectRows(client, statement, [now])
    if (forgotten.length < REPLAYS_AT_ONCE) {
      return
    }
    await setImmediate()
  }
}
