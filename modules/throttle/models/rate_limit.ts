import { RateLimitSchema } from '#database/schema'

/** A count of the limiter's database store. The limiter reads and writes it; instants are epoch milliseconds. */
export default class RateLimit extends RateLimitSchema {
  /** Deletes the counts that are over and returns how many there were. */
  static async purge(now: number): Promise<number> {
    const [deleted] = await this.query().where('expire', '<=', now).delete()
    return Number(deleted)
  }
}
