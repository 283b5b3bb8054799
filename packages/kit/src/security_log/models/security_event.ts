import { SecurityEventSchema } from '#database/schema'

/** A row of the database store of security events. Instants are epoch milliseconds. */
export default class SecurityEvent extends SecurityEventSchema {}
