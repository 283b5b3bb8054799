import { createHash } from 'node:crypto'

import { Bcrypt } from '@adonisjs/core/hash/drivers/bcrypt'

const BCRYPT_BYTES = 72
const ROUNDS = /^\$bcrypt\$v=\d+\$r=(\d+)\$|^\$2[aby]\$(\d\d)\$/

/**
 * AdonisJS's bcrypt hasher, with three changes: every byte of a password counts,
 * passwords that look the same are the same (Unicode NFC, NIST SP 800-63B
 * §3.1.1.2), and a hash needs renewal only when it is cheaper than `rounds`.
 */
export class PasswordHasher extends Bcrypt {
  readonly #rounds: number

  /** @param config.rounds bcrypt's cost: each round more doubles the work */
  constructor(config: { rounds: number }) {
    super(config)
    this.#rounds = config.rounds
  }

  override make(password: string) {
    return super.make(fit(password.normalize('NFC')))
  }

  /**
   * Hashes made before passwords were normalised are compared with the password
   * as it was typed. How many comparisons that takes depends on the typed
   * password alone, never on the hash: the time must not tell whether a user exists.
   */
  override async verify(hash: string, password: string) {
    const forms = new Set([password.normalize('NFC'), password])
    const matches = await Promise.all([...forms].map((form) => super.verify(hash, fit(form))))
    return matches.includes(true)
  }

  override needsReHash(hash: string) {
    const match = ROUNDS.exec(hash)
    return !match || Number(match[1] ?? match[2]) < this.#rounds
  }
}

/**
 * bcrypt looks at 72 bytes and no more, so two long passwords with a common
 * beginning would be equal. A longer one stands for its digest.
 */
function fit(password: string) {
  return Buffer.byteLength(password) > BCRYPT_BYTES
    ? createHash('sha512').update(password).digest('base64').slice(0, BCRYPT_BYTES)
    : password
}
