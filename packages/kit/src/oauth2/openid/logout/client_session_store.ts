import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'

import { MemoryRecords } from '#database/records'
import { affectedRows, insertUnlessThere } from '#database/raw_query'
import OAuthClientSession from '#oauth2/models/oauth_client_session'
import type { MaybePromise } from '#process/maybe_promise'

/**
 * A client that is told of the end of a session: `sid` and `subject` are as in ID tokens, `expiresAt` is the end unless
 * the session is used until then, `attempts` were made to tell it, and `dueAt` is the next; null while it lives.
 */
export type ClientSessionRecord = ModelAttributes<OAuthClientSession>

/** Store of the clients that are told of the end of sessions. Methods may be sync or async, and are atomic. */
export interface ClientSessionStore {
  /** Inserts a record, unless there is one for this client and session. */
  remember(record: ClientSessionRecord): MaybePromise<void>
  /** The records of living sessions of the users with this id, whatever their user provider. */
  findLiving(userId: string): MaybePromise<ClientSessionRecord[]>
  /** Makes the records of sessions due, unless they are. */
  end(sids: string[], now: number): MaybePromise<void>
  /** Records of live sessions whose known end is at or before an instant. */
  findLapsed(now: number, limit: number): MaybePromise<ClientSessionRecord[]>
  /** Moves the known end of a session. */
  postpone(sid: string, expiresAt: number): MaybePromise<void>
  /** Records that are due at an instant, the oldest first. */
  findDue(now: number, limit: number): MaybePromise<ClientSessionRecord[]>
  /** Counts an attempt and schedules the next; false when another process did. */
  claim(record: ClientSessionRecord, nextAt: number): MaybePromise<boolean>
  delete(record: ClientSessionRecord): MaybePromise<void>
}

export class MemoryClientSessionStore implements ClientSessionStore {
  readonly #records = new MemoryRecords(keyOf)

  remember(record: ClientSessionRecord) {
    this.#records.find(keyOf(record)) ?? this.#records.insert(record)
  }

  findLiving(userId: string) {
    return this.#records.where((record) => record.userId === userId && record.dueAt === null)
  }

  end(sids: string[], now: number) {
    this.#records.change(({ sid, dueAt }) => dueAt === null && sids.includes(sid), { dueAt: now })
  }

  findLapsed(now: number, limit: number) {
    return this.#records.where((one) => one.expiresAt <= now && one.dueAt === null).slice(0, limit)
  }

  postpone(sid: string, expiresAt: number) {
    this.#records.change((record) => record.sid === sid, { expiresAt })
  }

  findDue(now: number, limit: number) {
    const due = this.#records.where(({ dueAt }) => dueAt !== null && dueAt <= now)
    return due.sort((one, other) => one.dueAt! - other.dueAt!).slice(0, limit)
  }

  claim(record: ClientSessionRecord, nextAt: number) {
    const { attempts } = record
    const isSame = (one: ClientSessionRecord) =>
      keyOf(one) === keyOf(record) && one.attempts === attempts
    return this.#records.change(isSame, { attempts: attempts + 1, dueAt: nextAt }) > 0
  }

  delete(record: ClientSessionRecord) {
    this.#records.delete(keyOf(record))
  }
}

const keyOf = ({ sid, clientId }: ClientSessionRecord) => JSON.stringify([sid, clientId])

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
    const query = this.#query().where('expiresAt', '<=', now).whereNull('dueAt').limit(limit)
    return toRecords(await query)
  }

  async postpone(sid: string, expiresAt: number) {
    await this.#query().where({ sid }).update({ expiresAt })
  }

  async findDue(now: number, limit: number) {
    return toRecords(await this.#query().where('dueAt', '<=', now).orderBy('dueAt').limit(limit))
  }

  async claim({ sid, clientId, attempts }: ClientSessionRecord, nextAt: number) {
    const unclaimed = this.#query().where({ sid, clientId, attempts })
    return affectedRows(await unclaimed.update({ attempts: attempts + 1, dueAt: nextAt })) > 0
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
