import { createHash } from 'node:crypto'

import { Bcrypt } from '@adonisjs/core/hash/drivers/bcrypt'

const BCRYPT_BYTES = 72
const ROUNDS = /^\$bcrypt\$v=\d+\$r=(\d+)\$|^\$2[aby]\$(\d\d)\$/

/**
 * AdonisJS's bcrypt hasher with two changes: it hashes every byte of a password,
 * and a hash needs renewal only if it is cheaper than `rounds`.
 */
export class PasswordHasher extends Bcrypt {
  readonly #rounds: number

  /** @param config.rounds bcrypt's cost: one more doubles the work */
  constructor(config: { rounds: number }) {
    super(config)
    this.#rounds = config.rounds
  }

  override make(password: string) {
    return super.make(fit(password))
  }

  override verify(hash: string, password: string) {
    return super.verify(hash, fit(password))
  }

  override needsReHash(hash: string) {
    const match = ROUNDS.exec(hash)
    return !match || Number(match[1] ?? match[2]) < this.#rounds
  }
}

/**
 * bcrypt ignores all bytes after the 72nd, so two long passwords with a common
 * beginning would be equal. A longer password is replaced by its digest.
 */
function fit(password: string) {
  return Buffer.byteLength(password) > BCRYPT_BYTES
    ? createHash('sha512').update(password).digest('base64').slice(0, BCRYPT_BYTES)
    : password
}
