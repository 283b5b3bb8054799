import {
  type MemoryUserProviderSpec,
  type Credentials,
  type UserId,
  type UserProvider,
  type PasswordHash,
  type ResolvedFields,
  isActive,
  passwordStamp,
  readUsername,
  resolveFields,
  verifyPassword,
} from '#auth/user_providers/user_provider'

type MemoryUser = Record<string, any>

/** Users in memory, for tests and demos. */
export class MemoryUserProvider implements UserProvider<MemoryUser> {
  readonly #users = new Map<string, MemoryUser>()
  readonly #fields: ResolvedFields
  readonly #idField: string
  readonly #hasher: PasswordHash
  readonly #initial: Record<string, unknown>[]

  constructor(spec: Omit<MemoryUserProviderSpec, 'driver'>, hasher: PasswordHash) {
    this.#fields = resolveFields(spec)
    this.#idField = spec.idField ?? 'id'
    this.#hasher = hasher
    this.#initial = [...(spec.users ?? [])]
  }

  async warmUp() {
    for (const user of this.#initial.splice(0)) {
      await this.add(user)
    }
  }

  /** Adds a user. Its password is in plain text; its id defaults to the next number. */
  async add(user: Record<string, unknown>): Promise<MemoryUser> {
    const { [this.#fields.password]: password, ...attributes } = user
    const added: MemoryUser = {
      [this.#idField]: this.#users.size + 1,
      ...attributes,
      [this.#fields.password]: await this.#hasher.make(String(password)),
    }
    this.#users.set(String(added[this.#idField]), added)
    return added
  }

  retrieveById(id: UserId) {
    return this.#users.get(String(id)) ?? null
  }

  retrieveByCredentials(credentials: Credentials) {
    const username = readUsername(credentials, this.#fields)
    return (
      [...this.#users.values()].find(
        (user) => username !== null && user[this.#fields.username] === username
      ) ?? null
    )
  }

  validateCredentials(user: MemoryUser, credentials: Credentials) {
    return verifyPassword(user, credentials, this.#fields, this.#hasher)
  }

  getIdentifier(user: MemoryUser): UserId {
    return user[this.#idField]
  }

  async updatePassword(user: MemoryUser, password: string) {
    user[this.#fields.password] = await this.#hasher.make(password)
  }

  async renewPassword(user: MemoryUser, password: string) {
    const old = user[this.#fields.password]
    const hash = await this.#hasher.make(password)
    if (user[this.#fields.password] === old) {
      user[this.#fields.password] = hash
    }
  }

  isActive(user: MemoryUser) {
    return isActive(user, this.#fields)
  }

  passwordStamp(user: MemoryUser) {
    return passwordStamp(user, this.#fields)
  }

  needsRehash(user: MemoryUser) {
    return this.#hasher.needsReHash(user[this.#fields.password])
  }
}
