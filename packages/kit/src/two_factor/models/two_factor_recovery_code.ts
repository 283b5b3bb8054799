import { column } from '@adonisjs/lucid/orm'

import { TwoFactorRecoveryCodeSchema } from '#database/schema'

/** A recovery code that was not used yet. Instants are epoch milliseconds. */
export default class TwoFactorRecoveryCode extends TwoFactorRecoveryCodeSchema {
  /** SHA-256 of the code. */
  @column({ serializeAs: null })
  declare code: string
}
