import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { selectRows } from '#database/raw_query'
import {
  WorkspaceInvitationSchema,
  WorkspaceMembershipSchema,
  WorkspaceSchema,
} from '#database/schema'

export class Workspace extends WorkspaceSchema {}

export class WorkspaceInvitation extends WorkspaceInvitationSchema {}

export class WorkspaceMembership extends WorkspaceMembershipSchema {}

/** Locks a workspace by a write, on both databases; null when there is none, or the condition does not hold. */
export async function lockWorkspace(
  trx: QueryClientContract,
  id: number,
  condition = 'deleted_at IS NULL'
): Promise<{ isPersonal: boolean } | null> {
  const sql = `UPDATE workspaces SET name = name WHERE id = ? AND ${condition} RETURNING personal_of`
  const [row] = await selectRows(trx, sql, [id])
  return row ? { isPersonal: row.personal_of !== null } : null
}

/** First part of the keys of PostgreSQL's advisory locks; the second is the workspace. */
const WRITES = 0x77726974

/**
 * Members who write share a lock until their transaction ends; whoever ends or changes a membership has it alone. It queues,
 * as a shared lock of a row does not: no member stays by writing on and on. SQLite has one writer at a time.
 */
export async function lockWrites(
  trx: QueryClientContract,
  id: number,
  { isShared = false }: { isShared?: boolean } = {}
): Promise<void> {
  if (trx.dialect.name === 'postgres') {
    const lock = isShared ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
    await selectRows(trx, `SELECT ${lock}(?::int, ?::int)`, [WRITES, id])
  }
}
