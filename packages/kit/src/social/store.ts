import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { type Owner, isOwnedBy } from '#auth/users'
import { isUniqueViolation } from '#database/errors'
import { DatabaseUsedOnce, MemoryRecords, MemoryUsedOnce } from '#database/records'
import { insertUnlessThere } from '#database/raw_query'
import { assertOr } from '#process/assert_or'
import SocialIdentityRow from '#social/models/social_identity'
import type { MadeAccount, NewIdentity, SocialIdentity, SocialStore } from '#social/types'

/** Undoes the transaction: the identity belongs to somebody. */
class Taken extends Error {}

/** Identities in the table `social_identities`, through the Lucid model `SocialIdentity`. */
export class DatabaseSocialStore implements SocialStore {
  readonly used = new DatabaseUsedOnce(() => this.client())

  constructor(protected readonly client: () => QueryClientContract) {}

  async find({ issuer, subject, provider }: Pick<NewIdentity, 'issuer' | 'subject' | 'provider'>) {
    const row = await this.#query().where({ issuer, subject, provider }).first()
    return row && toIdentity(row)
  }

  async listFor(owner: Owner) {
    const rows = await this.#of(owner).orderBy('created_at').orderBy('id')
    return rows.map(toIdentity)
  }

  async insert(identity: NewIdentity) {
    return insert(this.client(), identity)
  }

  async insertWithAccount<User>(
    identity: Omit<NewIdentity, keyof Owner | 'passwordMark'>,
    make: (client: QueryClientContract) => Promise<MadeAccount<User>>
  ) {
    const made = this.client().transaction(async (trx) => {
      const { user, owner, passwordMark } = await make(trx)
      assertOr(await insert(trx, { ...identity, ...owner, passwordMark }), Taken)
      return user
    })
    return made.catch(nullForTaken)
  }

  async touch(id: string, email: string | null, now: number) {
    await this.#query().where('id', id).update({ email, last_used_at: now })
  }

  /** The write comes first: it locks the rows of the user, so that two deletions come one after the other. */
  delete(owner: Owner, id: string, { keepOne }: { keepOne: readonly string[] | null }) {
    return this.client().transaction(async (trx) => {
      await this.#of(owner, trx).update({ provider: owner.provider })
      const rows = await this.#of(owner, trx)
      const found = deletable(rows.map(toIdentity), id, keepOne)
      if (typeof found !== 'string') {
        await this.#query(trx).where('id', found.id).delete()
      }
      return found
    })
  }

  async deleteAll(owner: Owner) {
    await this.#of(owner).delete()
  }

  #of({ userId, provider }: Owner, client?: QueryClientContract) {
    return this.#query(client).where({ userId, provider })
  }

  #query(client = this.client()) {
    return SocialIdentityRow.query({ client })
  }
}

async function insert(client: QueryClientContract, identity: NewIdentity) {
  const now = Date.now()
  const row = { ...identity, createdAt: now, lastUsedAt: now }
  const unique = ['issuer', 'subject', 'provider'] as const
  return (await insertUnlessThere(client, SocialIdentityRow, row, unique)) !== null
}

function nullForTaken(error: unknown): null {
  if (error instanceof Taken || isUniqueViolation(error)) {
    return null
  }
  throw error
}

/** The identity with this id of a user who has these, or why it stays. */
function deletable(own: SocialIdentity[], id: string, keepOne: readonly string[] | null) {
  const found = own.find((one) => one.id === id)
  const isLast = keepOne && !own.some((one) => one.id !== id && keepOne.includes(one.name))
  return found ? (isLast ? 'last' : found) : 'unknown'
}

function toIdentity(row: SocialIdentityRow): SocialIdentity {
  return { ...(row.$attributes as SocialIdentity), id: String(row.id) }
}

/** Identities in the memory of the process, for tests and demos. */
export class MemorySocialStore implements SocialStore {
  readonly #identities = new MemoryRecords<SocialIdentity>(({ id }) => id)
  readonly used = new MemoryUsedOnce()
  #lastId = 0

  find({ issuer, subject, provider }: Pick<SocialIdentity, 'issuer' | 'subject' | 'provider'>) {
    const [found = null] = this.#identities.where(
      (one) => one.issuer === issuer && one.subject === subject && one.provider === provider
    )
    return found
  }

  listFor(owner: Owner) {
    return this.#identities.where((one) => isOwnedBy(one, owner))
  }

  insert(identity: NewIdentity) {
    if (this.find(identity)) {
      return false
    }
    const now = Date.now()
    const id = String(++this.#lastId)
    this.#identities.insert({ ...identity, id, createdAt: now, lastUsedAt: now })
    return true
  }

  async insertWithAccount<User>(
    identity: Omit<NewIdentity, keyof Owner | 'passwordMark'>,
    make: () => Promise<MadeAccount<User>>
  ) {
    const made = await make().catch(nullForTaken)
    if (!made) {
      return null
    }
    const { user, owner, passwordMark } = made
    return this.insert({ ...identity, ...owner, passwordMark }) ? user : null
  }

  touch(id: string, email: string | null, now: number) {
    this.#identities.change((one) => one.id === id, { email, lastUsedAt: now })
  }

  delete(owner: Owner, id: string, { keepOne }: { keepOne: readonly string[] | null }) {
    const found = deletable(this.listFor(owner), id, keepOne)
    if (typeof found !== 'string') {
      this.#identities.delete(id)
    }
    return found
  }

  deleteAll(owner: Owner) {
    this.#identities.deleteWhere((one) => isOwnedBy(one, owner))
  }
}
