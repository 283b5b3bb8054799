import { column } from '@adonisjs/lucid/orm'

import { SocialIdentitySchema } from '#database/schema'

/** An identity of a user at a provider. Instants are epoch milliseconds. */
export default class SocialIdentity extends SocialIdentitySchema {
  /** PostgreSQL hands a bigint over as text. */
  @column({ isPrimary: true, consume: Number })
  declare id: number
}
