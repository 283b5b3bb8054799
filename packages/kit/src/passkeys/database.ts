import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { Owner } from '#auth/users'
import { insertUnlessThere } from '#database/plain_insert'
import { affectedRows } from '#database/raw_query'
import { DatabaseUsedOnce } from '#database/used_once'
import Passkey from '#passkeys/models/passkey'

const used = new DatabaseUsedOnce(() => Passkey.query().client)

/** The tables of passkeys. */
export const passkeyRows = {
  list(owner: Owner): Promise<Passkey[]> {
    return of(owner).orderBy('createdAt').orderBy('id')
  },

  findByCredential(credentialId: string): Promise<Passkey | null> {
    return Passkey.findBy('credentialId', credentialId)
  },

  /** Inserts a passkey and uses its challenge up; null when the challenge was used before, or the passkey is there already. */
  insert(
    owner: Owner,
    row: Pick<Passkey, 'name' | 'credentialId' | 'publicKey' | 'counter' | 'transports'>,
    challenge: UsedChallenge
  ): Promise<Passkey | null> {
    return db.transaction(async (trx) => {
      if (!(await useUp(challenge, trx))) {
        return null
      }
      const passkey = { ...owner, ...row, createdAt: Date.now() }
      const inserted = await insertUnlessThere(trx, Passkey, passkey, ['credentialId'])
      return inserted ? Passkey.findOrFail(Number(inserted.id), { client: trx }) : null
    })
  },

  /**
   * Uses a challenge up and moves the counter of a passkey on; false when the
   * challenge was used before, or the counter does not go up: of two answers with
   * one counter the second comes from a copy (WebAuthn §7.2, step 22).
   */
  use(passkey: Passkey, counter: number, challenge: UsedChallenge): Promise<boolean> {
    return db.transaction(async (trx) => {
      if (!(await useUp(challenge, trx))) {
        return false
      }
      const update = Passkey.query({ client: trx })
        .where('id', passkey.id)
        .where((query) =>
          counter === 0 ? query.where('counter', 0) : query.where('counter', '<', counter)
        )
      return affectedRows(await update.update({ counter, lastUsedAt: Date.now() })) > 0
    })
  },

  async rename(owner: Owner, id: number, name: string): Promise<boolean> {
    return affectedRows(await of(owner).where({ id }).update({ name })) > 0
  },

  async delete(owner: Owner, id: number): Promise<boolean> {
    return affectedRows(await of(owner).where({ id }).delete()) > 0
  },

  async deleteAll(owner: Owner): Promise<void> {
    await of(owner).delete()
  },

  /** Deletes challenges that have expired and so need no memory, and returns how many there were. */
  purge(now: number): Promise<number> {
    return used.purge(now)
  },
}

/** A challenge that was answered, and when it would have expired. */
export interface UsedChallenge {
  challenge: string
  /** Epoch milliseconds. */
  expiresAt: number
}

/** Whether nobody has used the challenge before. */
function useUp({ challenge, expiresAt }: UsedChallenge, trx: TransactionClientContract) {
  return new DatabaseUsedOnce(() => trx).use('passkey_challenge', challenge, expiresAt)
}

function of({ userId, provider }: Owner) {
  return Passkey.query().where({ userId, provider })
}
