import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'

import { HttpContext } from '@adonisjs/core/http'
import { Bcrypt } from '@adonisjs/core/hash/drivers/bcrypt'

import { TemporarilyUnavailable } from '#auth/errors'
import { traced } from '#process/spans'
import { QueueFull, WorkQueue } from '#process/work_queue'

const BCRYPT_BYTES = 72
const ROUNDS = /^\$bcrypt\$v=\d+\$r=(\d+)\$|^\$2[aby]\$(\d\d)\$/
/** Threads of libuv, which bcrypt shares with file reads and name look-ups. */
const THREADS = Number(process.env.UV_THREADPOOL_SIZE) || 4
/** Hashes at a time: one core stays free for requests, and one thread for files. */
const CONCURRENCY = Math.max(1, Math.min(availableParallelism(), THREADS) - 1)
/** About ten seconds of work with the default cost. */
const MAX_WAITING = 50 * CONCURRENCY

const TOO_MANY =
  'A password was not hashed: the wait is longer than "hashingPatience", or the caller has left'

/**
 * AdonisJS's bcrypt hasher, with four changes: every byte of a password counts; passwords that look
 * the same are the same (Unicode NFC, NIST SP 800-63B §3.1.1.2); only a hash that is cheaper than
 * `rounds` is renewed; and work queues, within bounds, and is dropped for a caller who has left.
 */
export class PasswordHasher extends Bcrypt {
  /** The last one created: there is one per process. */
  static latest: PasswordHasher | null = null

  /** @param settings `rounds` is bcrypt's cost; `patience` the seconds that a caller waits at most */
  constructor(
    protected readonly settings: { rounds: number; patience?: number },
    readonly queue = new WorkQueue({
      concurrency: CONCURRENCY,
      maxWaiting: MAX_WAITING,
      patience: settings.patience,
    })
  ) {
    super(settings)
    PasswordHasher.latest = this
  }

  /** @throws {TemporarilyUnavailable} when the wait would be too long */
  override make(password: string) {
    return this.#inTurn(() => super.make(fit(password.normalize('NFC'))))
  }

  /**
   * Compares as typed, too, for hashes of before passwords were normalised. How many comparisons
   * that takes depends on the typed password alone: the time must not tell whether a user exists.
   * @throws {TemporarilyUnavailable} when the wait would be too long
   */
  override async verify(hash: string, password: string) {
    const forms = new Set([password.normalize('NFC'), password])
    const matches = await Promise.all(
      [...forms].map((form) => this.#inTurn(() => super.verify(hash, fit(form))))
    )
    return matches.includes(true)
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await traced('password hash', () => this.queue.run(task, callerStays()))
    } catch (error) {
      throw error instanceof QueueFull
        ? new TemporarilyUnavailable(error.retryAfter, undefined, { reason: TOO_MANY })
        : error
    }
  }

  override needsReHash(hash: string) {
    const [, own, other] = ROUNDS.exec(hash) ?? []
    return Number(own ?? other ?? 0) < this.settings.rounds
  }
}

/** Whether the caller of this request is still connected. Work after the response has none. */
function callerStays(): () => boolean {
  const ctx = HttpContext.get()
  return () => !ctx || ctx.response.response.writableEnded || !ctx.request.request.socket.destroyed
}

/** bcrypt ignores all bytes after the 72nd: a longer password is replaced by its digest. */
function fit(password: string) {
  return Buffer.byteLength(password) > BCRYPT_BYTES
    ? createHash('sha512').update(password).digest('base64').slice(0, BCRYPT_BYTES)
    : password
}
