import { column } from '@adonisjs/lucid/orm'

import { PasskeySchema } from '#database/schema'

/** A passkey of a user. Instants are epoch milliseconds. */
export default class Passkey extends PasskeySchema {
  /** PostgreSQL hands a bigint over as text. */
  @column({ isPrimary: true, consume: Number })
  declare id: number

  /** How often the authenticator has signed; 0 when it does not count (WebAuthn §6.1.1). */
  @column({ consume: Number })
  declare counter: number
}
