import KitSession from 'adonis-auth-kit/session/models/session'

/** A session that is kept in the database. Columns, hooks and relations of your own belong here. */
export default class Session extends KitSession {}
