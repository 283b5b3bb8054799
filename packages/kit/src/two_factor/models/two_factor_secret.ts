import { column } from '@adonisjs/lucid/orm'

import { TwoFactorSecretSchema } from '#database/schema'

/** The authenticator app of a user. Instants are epoch milliseconds. */
export default class TwoFactorSecret extends TwoFactorSecretSchema {
  /** Encrypted with the application's key. */
  @column({ serializeAs: null })
  declare secret: string

  /** The time step of the newest code that was used: codes count once (RFC 6238 §5.2). */
  declare lastStep: number
}
