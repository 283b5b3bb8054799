import { column } from '@adonisjs/lucid/orm'

import { PersonalApiTokenSchema } from '#database/schema'

/** A row of the database repository of API tokens. Instants are epoch milliseconds. */
export default class PersonalApiToken extends PersonalApiTokenSchema {
  /** PostgreSQL hands a bigint over as text. */
  @column({ isPrimary: true, consume: Number })
  declare id: number

  /** SHA-256 of the secret. */
  @column({ serializeAs: null })
  declare token: string
}
