import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { insertUnlessThere } from '#database/plain_insert'
import OAuthClientSession from '#oauth2/models/oauth_client_session'
import type {
  ClientSessionRecord,
  ClientSessionStore,
} from '#oauth2/openid/logout/client_session_store'
import { affectedRows } from '#database/raw_query'

/** Clients that hear of the end of sessions, in the table `oauth_client_sessions`. */
export class DatabaseClientSessionStore implements ClientSessionStore {
  constructor(protected client: () => QueryClientContract) {}

  async remember(record: ClientSessionRecord) {
    await insertUnlessThere(this.client(), OAuthClientSession, record, ['sid', 'clientId'])
  }

  async findLiving(userId: string) {
    return toRecords(await this.#query().where({ userId }).whereNull('dueAt'))
  }

  async end(sids: string[], now: number) {
    await this.#query().whereIn('sid', sids).whereNull('dueAt').update({ dueAt: now })
  }

  async findLapsed(now: number, limit: number) {
    return toRecords(
      await this.#query().where('expiresAt', '<=', now).whereNull('dueAt').limit(limit)
    )
  }

  async postpone(sid: string, expiresAt: number) {
    await this.#query().where({ sid }).update({ expiresAt })
  }

  async findDue(now: number, limit: number) {
    return toRecords(await this.#query().where('dueAt', '<=', now).orderBy('dueAt').limit(limit))
  }

  async claim({ sid, clientId, attempts }: ClientSessionRecord, nextAt: number) {
    const result = await this.#query()
      .where({ sid, clientId, attempts })
      .update({ attempts: attempts + 1, dueAt: nextAt })
    return affectedRows(result) > 0
  }

  async delete({ sid, clientId }: ClientSessionRecord) {
    await this.#query().where({ sid, clientId }).delete()
  }

  #query() {
    return OAuthClientSession.query({ client: this.client() })
  }
}

function toRecords(rows: OAuthClientSession[]): ClientSessionRecord[] {
  return rows.map((row) => row.$attributes as ClientSessionRecord)
}
