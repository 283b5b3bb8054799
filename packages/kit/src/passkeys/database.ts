import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { Owner } from '#auth/users'
import { affectedRows, insertUnlessThere } from '#database/raw_query'
import { DatabaseUsedOnce } from '#database/records'
import { PasskeySchema } from '#database/schema'

/** A passkey of a user. Instants are epoch milliseconds. */
export class Passkey extends PasskeySchema {
  /** How often the authenticator has signed; 0 when it does not count (WebAuthn §6.1.1). */
  declare counter: number
}

export const usedChallenges = new DatabaseUsedOnce(() => Passkey.query().client)

/** A challenge that was answered, and when it would have expired (epoch milliseconds). */
export type UsedChallenge = { challenge: string; expiresAt: number }

export function passkeysOf({ userId, provider }: Owner) {
  return Passkey.query().where({ userId, provider })
}

/** The oldest first. */
export async function listPasskeys(owner: Owner): Promise<Passkey[]> {
  return passkeysOf(owner).orderBy('createdAt').orderBy('id')
}

/** Inserts a passkey and uses its challenge up; null when either has been there before. */
export function insertPasskey(
  owner: Owner,
  row: Pick<Passkey, 'name' | 'credentialId' | 'publicKey' | 'counter' | 'transports'>,
  challenge: UsedChallenge
): Promise<Passkey | null> {
  return db.transaction(async (trx) => {
    const passkey = { ...owner, ...row, createdAt: Date.now() }
    const inserted =
      (await useUp(challenge, trx)) &&
      (await insertUnlessThere(trx, Passkey, passkey, ['credentialId']))
    return inserted ? Passkey.findOrFail(Number(inserted.id), { client: trx }) : null
  })
}

/**
 * Uses a challenge up and moves the counter of a passkey on; false when either was used before: of two
 * answers with one counter the second comes from a copy (WebAuthn §7.2, step 22).
 */
export function usePasskey(passkey: Passkey, counter: number, challenge: UsedChallenge) {
  return db.transaction(async (trx) => {
    if (!(await useUp(challenge, trx))) {
      return false
    }
    const query = Passkey.query({ client: trx })
      .where('id', passkey.id)
      .where('counter', counter === 0 ? '=' : '<', counter)
    return affectedRows(await query.update({ counter, lastUsedAt: Date.now() })) > 0
  })
}

function useUp({ challenge, expiresAt }: UsedChallenge, trx: TransactionClientContract) {
  return new DatabaseUsedOnce(() => trx).use('passkey_challenge', challenge, expiresAt)
}
