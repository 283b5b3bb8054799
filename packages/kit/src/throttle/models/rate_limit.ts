import { RateLimitSchema } from '#database/schema'
import { ExpiredRows } from '#database/expired_rows'

const EXPIRED = new ExpiredRows({ table: 'rate_limits', key: 'key', column: 'expire' })

/** A count of the limiter's database store. The limiter reads and writes it; instants are epoch milliseconds. */
export default class RateLimit extends RateLimitSchema {
  /** Deletes expired counts and returns how many. It may stop early and leave some to the next run. */
  static async purge(now: number): Promise<number> {
    return EXPIRED.purge(this.query().client, now)
  }
}
