import type { SecurityEvent, SecurityEventLog } from '#auth/security_events'
import type { Users } from '#auth/users'
import type { SecurityLogRecord, SecurityLogStore, Selection } from '#security_log/store'
import { callerOf } from '#http/device'

const DAY = 24 * 60 * 60 * 1000
const SIGN_INS = ['signed_in', 'new_device']

/** What has happened to the security of people's accounts: kept for them to see, for a limited time. */
export class SecurityLog implements SecurityEventLog {
  /** @param retention days that an event is kept */
  constructor(
    protected store: SecurityLogStore,
    protected retention: number
  ) {}

  async append({ type, details, user, users, ctx, about }: SecurityEvent): Promise<void> {
    if (type === 'account_deleted') {
      return
    }
    await this.store.append({
      ...users.ownerOf(user),
      ...callerOf(ctx),
      type,
      details: details as SecurityLogRecord['details'],
      createdAt: Date.now(),
      about: about ?? null,
    })
  }

  async about(subject: string, limit: number): Promise<SecurityLogRecord[]> {
    return this.store.about(subject, limit)
  }

  async latest(user: unknown, users: Users, limit: number, selection?: Selection) {
    return this.store.latest(users.ownerOf(user), limit, selection)
  }

  async hasSignIns(user: unknown, users: Users): Promise<boolean> {
    return this.store.has(users.ownerOf(user), SIGN_INS)
  }

  async forget(user: unknown, users: Users): Promise<void> {
    await this.store.forget(users.ownerOf(user))
  }

  /** Deletes events that are older than their retention, and returns how many. */
  async purge(): Promise<number> {
    return this.store.purge(Date.now() - this.retention * DAY)
  }
}
