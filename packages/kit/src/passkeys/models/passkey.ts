import { PasskeySchema } from '#database/schema'

/** A passkey of a user. Instants are epoch milliseconds. */
export default class Passkey extends PasskeySchema {
  /** How often the authenticator has signed; 0 when it does not count (WebAuthn §6.1.1). */
  declare counter: number
}
