import { column } from '@adonisjs/lucid/orm'

import { SessionSchema } from '#database/schema'

/** A row of the database session store. Its id is the hash of the session id; instants are epoch milliseconds. */
export default class Session extends SessionSchema {
  /** JSON */
  @column({ serializeAs: null }) declare data: string

  @column({ serializeAs: null }) declare csrfToken: string
}
