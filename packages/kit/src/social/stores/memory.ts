import type { Owner } from '#auth/users'
import { isUniqueViolation } from '#database/errors'
import { MemoryUsedOnce } from '#database/used_once'
import type { MadeAccount, NewIdentity, SocialIdentity, SocialStore } from '#social/types'

/** Identities in the memory of the process, for tests and demos. */
export class MemorySocialStore implements SocialStore {
  #identities: SocialIdentity[] = []
  readonly used = new MemoryUsedOnce()
  #lastId = 0

  find({ issuer, subject, provider }: Pick<SocialIdentity, 'issuer' | 'subject' | 'provider'>) {
    const found = this.#identities.find(
      (one) => one.issuer === issuer && one.subject === subject && one.provider === provider
    )
    return found ? { ...found } : null
  }

  listFor(owner: Owner) {
    return this.#identities.filter((one) => isOf(owner, one)).map((one) => ({ ...one }))
  }

  insert(identity: NewIdentity) {
    if (this.find(identity)) {
      return false
    }
    const now = Date.now()
    const id = String(++this.#lastId)
    this.#identities.push({ ...identity, id, createdAt: now, lastUsedAt: now })
    return true
  }

  async insertWithAccount<User>(
    identity: Omit<NewIdentity, keyof Owner | 'passwordMark'>,
    make: () => Promise<MadeAccount<User>>
  ) {
    try {
      const { user, owner, passwordMark } = await make()
      return this.insert({ ...identity, ...owner, passwordMark }) ? user : null
    } catch (error) {
      if (isUniqueViolation(error)) {
        return null
      }
      throw error
    }
  }

  touch(id: string, email: string | null, now: number) {
    const identity = this.#identities.find((one) => one.id === id)
    if (identity) {
      Object.assign(identity, { email, lastUsedAt: now })
    }
  }

  delete(owner: Owner, id: string, { keepOne }: { keepOne: readonly string[] | null }) {
    const own = this.listFor(owner)
    const found = own.find((one) => one.id === id)
    if (!found) {
      return 'unknown' as const
    }
    if (keepOne && !own.some((one) => one.id !== id && keepOne.includes(one.name))) {
      return 'last' as const
    }
    this.#identities = this.#identities.filter((one) => one.id !== id)
    return found
  }

  deleteAll(owner: Owner) {
    this.#identities = this.#identities.filter((one) => !isOf(owner, one))
  }
}

function isOf({ userId, provider }: Owner, identity: SocialIdentity) {
  return identity.userId === userId && identity.provider === provider
}
