import { RateLimitSchema } from '#database/schema'
import { deleteRows } from '#support/delete_rows'

/** A count of the limiter's database store. The limiter reads and writes it; instants are epoch milliseconds. */
export default class RateLimit extends RateLimitSchema {
  /** Deletes expired counts and returns how many. It may stop early and leave some to the next run. */
  static async purge(now: number): Promise<number> {
    const rows = { table: 'rate_limits', key: 'key', where: 't.expire <= ?', bindings: [now] }
    return deleteRows(this.query().client, rows)
  }
}
