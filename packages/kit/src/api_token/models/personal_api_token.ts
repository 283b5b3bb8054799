import { column } from '@adonisjs/lucid/orm'

import { PersonalApiTokenSchema } from '#database/schema'

/** A row of the database repository of API tokens. Instants are epoch milliseconds. */
export default class PersonalApiToken extends PersonalApiTokenSchema {
  /** SHA-256 of the secret. */
  @column({ serializeAs: null }) declare token: string
}
