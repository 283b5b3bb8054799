import { RateLimitSchema } from '#database/schema'
import { deleteRows } from '#support/delete_rows'

/** A count of the limiter's database store. The limiter reads and writes it; instants are epoch milliseconds. */
export default class RateLimit extends RateLimitSchema {
  /** Deletes the counts that are over and returns how many there were. */
  static async purge(now: number): Promise<number> {
    const rows = { table: 'rate_limits', key: 'key', where: 't.expire <= ?', bindings: [now] }
    return deleteRows(this.query().client, rows)
  }
}
