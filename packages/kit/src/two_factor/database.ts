import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import { affectedRows, selectRows } from '#database/raw_query'
import TwoFactorRecoveryCode from '#two_factor/models/two_factor_recovery_code'
import TwoFactorSecret from '#two_factor/models/two_factor_secret'

/** Whose second factor a row belongs to. Equal ids of two user providers are different people. */
export interface FactorOwner {
  userId: string
  provider: string
}

/** Raw SQL, because the query builders cannot tell whether a conflict kept the row out. */
const INSERT = `
  INSERT INTO two_factor_secrets (user_id, provider, secret, last_step, created_at)
  VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (user_id, provider) DO NOTHING
  RETURNING user_id`

/**
 * The tables of the second factor. What may happen once is a statement whose
 * number of rows tells who came first, in every process.
 */
export const factorRows = {
  find(owner: FactorOwner): Promise<TwoFactorSecret | null> {
    return TwoFactorSecret.query()
      .where({ ...owner })
      .first()
  },

  /** Inserts a secret with its recovery codes; false when the owner has one already. */
  insert(
    owner: FactorOwner,
    { secret, step, codes }: { secret: string; step: number; codes: string[] }
  ): Promise<boolean> {
    return db.transaction(async (trx) => {
      const values = [owner.userId, owner.provider, secret, step, Date.now()]
      const inserted = await selectRows(trx, INSERT, values)
      if (!inserted.length) {
        return false
      }
      await replaceCodes(trx, owner, codes)
      return true
    })
  },

  /** Marks a time step and all before it as used; false when it was used before. */
  async useStep(owner: FactorOwner, step: number): Promise<boolean> {
    const query = TwoFactorSecret.query()
      .where({ ...owner })
      .where('lastStep', '<', step)
    return affectedRows(await query.update({ lastStep: step })) > 0
  },

  /** Deletes a recovery code; false when there is no such code (any more). */
  async useCode(owner: FactorOwner, code: string): Promise<boolean> {
    const query = TwoFactorRecoveryCode.query().where({ ...owner, code })
    return affectedRows(await query.delete()) > 0
  },

  /** Replaces all recovery codes. The lock of the secret's row keeps the codes of one caller together. */
  renewCodes(owner: FactorOwner, codes: string[]): Promise<boolean> {
    return db.transaction(async (trx) => {
      const lock = TwoFactorSecret.query({ client: trx }).where({ ...owner })
      const isOn = affectedRows(await lock.update({ provider: owner.provider })) > 0
      if (isOn) {
        await replaceCodes(trx, owner, codes)
      }
      return isOn
    })
  },

  async countCodes(owner: FactorOwner): Promise<number> {
    const codes = await TwoFactorRecoveryCode.query()
      .where({ ...owner })
      .select('id')
    return codes.length
  },

  /** Deletes the secret and the recovery codes; false when there was no secret. */
  delete(owner: FactorOwner): Promise<boolean> {
    return db.transaction(async (trx) => {
      const secrets = TwoFactorSecret.query({ client: trx }).where({ ...owner })
      const existed = affectedRows(await secrets.delete()) > 0
      await TwoFactorRecoveryCode.query({ client: trx })
        .where({ ...owner })
        .delete()
      return existed
    })
  },
}

async function replaceCodes(trx: TransactionClientContract, owner: FactorOwner, codes: string[]) {
  await TwoFactorRecoveryCode.query({ client: trx })
    .where({ ...owner })
    .delete()
  const createdAt = Date.now()
  await TwoFactorRecoveryCode.createMany(
    codes.map((code) => ({ ...owner, code, createdAt })),
    { client: trx }
  )
}
