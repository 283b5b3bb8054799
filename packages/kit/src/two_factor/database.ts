import { column } from '@adonisjs/lucid/orm'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { Owner } from '#auth/users'
import { affectedRows, insertUnlessThere } from '#database/raw_query'
import { TwoFactorRecoveryCodeSchema, TwoFactorSecretSchema } from '#database/schema'

/** The authenticator app of a user. Instants are epoch milliseconds. */
export class TwoFactorSecret extends TwoFactorSecretSchema {
  /** Encrypted with the application's key. */
  @column({ serializeAs: null }) declare secret: string

  /** The time step of the newest code that was used: codes count once (RFC 6238 §5.2). */
  declare lastStep: number
}

/** A recovery code that was not used yet. Instants are epoch milliseconds. */
export class TwoFactorRecoveryCode extends TwoFactorRecoveryCodeSchema {
  /** SHA-256 of the code. */
  @column({ serializeAs: null }) declare code: string
}

/** What may happen once is a statement whose number of rows tells who came first, in every process. */
export const factorRows = {
  find(owner: Owner): Promise<TwoFactorSecret | null> {
    return secretOf(owner).first()
  },

  /** Inserts a secret with its recovery codes; false when the owner has one already. */
  insert(owner: Owner, secret: string, lastStep: number, codes: string[]): Promise<boolean> {
    return db.transaction(async (trx) => {
      const row = { ...owner, secret, lastStep, createdAt: Date.now() }
      const inserted = await insertUnlessThere(trx, TwoFactorSecret, row, ['userId', 'provider'])
      if (inserted) {
        await replaceCodes(trx, owner, codes)
      }
      return inserted !== null
    })
  },

  /** Marks a time step and all before it as used; false when it was used before. */
  async useStep(owner: Owner, step: number): Promise<boolean> {
    const query = secretOf(owner).where('lastStep', '<', step)
    return affectedRows(await query.update({ lastStep: step })) > 0
  },

  /** Deletes a recovery code; false when there is no such code (any more). */
  async useCode(owner: Owner, code: string): Promise<boolean> {
    return affectedRows(await codesOf(owner).where({ code }).delete()) > 0
  },

  /** Replaces all recovery codes. The lock of the secret's row keeps the codes of one caller together. */
  renewCodes(owner: Owner, codes: string[]): Promise<boolean> {
    return db.transaction(async (trx) => {
      const lock = secretOf(owner, trx).update({ provider: owner.provider })
      const isOn = affectedRows(await lock) > 0
      if (isOn) {
        await replaceCodes(trx, owner, codes)
      }
      return isOn
    })
  },

  async countCodes(owner: Owner): Promise<number> {
    const codes = await codesOf(owner).select('id')
    return codes.length
  },

  /** Deletes the secret and the recovery codes; false when there was no secret. */
  delete(owner: Owner): Promise<boolean> {
    return db.transaction(async (trx) => {
      const existed = affectedRows(await secretOf(owner, trx).delete()) > 0
      await codesOf(owner, trx).delete()
      return existed
    })
  },
}

async function replaceCodes(trx: TransactionClientContract, owner: Owner, codes: string[]) {
  await codesOf(owner, trx).delete()
  const rows = codes.map((code) => ({ ...owner, code, createdAt: Date.now() }))
  await TwoFactorRecoveryCode.createMany(rows, { client: trx })
}

function secretOf({ userId, provider }: Owner, client?: TransactionClientContract) {
  return TwoFactorSecret.query({ client }).where({ userId, provider })
}

function codesOf({ userId, provider }: Owner, client?: TransactionClientContract) {
  return TwoFactorRecoveryCode.query({ client }).where({ userId, provider })
}
