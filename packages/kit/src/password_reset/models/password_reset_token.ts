import { column } from '@adonisjs/lucid/orm'

import { PasswordResetTokenSchema } from '#database/schema'

/** A row of the database store of reset tokens. Instants are epoch milliseconds. */
export default class PasswordResetToken extends PasswordResetTokenSchema {
  /** SHA-256 of the token. */
  @column({ serializeAs: null }) declare token: string
}
