import {
  type MemoryUserProviderSpec,
  type Credentials,
  type UserId,
  type UserProvider,
  type PasswordHash,
  AttributeUserProvider,
} from '#auth/user_providers/user_provider'

type MemoryUser = Record<string, any>

/** Users in memory, for tests and demos. */
export class MemoryUserProvider
  extends AttributeUserProvider<MemoryUser>
  implements UserProvider<MemoryUser>
{
  readonly #users = new Map<string, MemoryUser>()
  readonly #idField: string
  readonly #initial: Record<string, unknown>[]

  constructor(spec: Omit<MemoryUserProviderSpec, 'driver'>, hasher: PasswordHash) {
    super(spec, hasher)
    this.#idField = spec.idField ?? 'id'
    this.#initial = [...(spec.users ?? [])]
  }

  async warmUp() {
    for (const user of this.#initial.splice(0)) {
      await this.add(user)
    }
  }

  /** Adds a user. Its password is in plain text; its id defaults to the next number. */
  async add(user: Record<string, unknown>): Promise<MemoryUser> {
    const { [this.passwordField]: password, ...attributes } = user
    const added: MemoryUser = {
      [this.#idField]: this.#nextId(),
      ...attributes,
      [this.passwordField]: await this.hasher.make(String(password)),
    }
    this.#users.set(String(added[this.#idField]), added)
    return added
  }

  /** After the number of users, but none that a user came with. */
  #nextId() {
    let id = this.#users.size + 1
    while (this.#users.has(String(id))) {
      id++
    }
    return id
  }

  retrieveById(id: UserId) {
    return this.#users.get(String(id)) ?? null
  }

  retrieveByCredentials(credentials: Credentials) {
    const username = this.usernameIn(credentials)
    const isNamed = (user: MemoryUser) => username !== null && user[this.usernameField] === username
    return [...this.#users.values()].find(isNamed) ?? null
  }

  getIdentifier(user: MemoryUser): UserId {
    return user[this.#idField]
  }

  async updatePassword(user: MemoryUser, password: string) {
    user[this.passwordField] = await this.hasher.make(password)
  }

  async renewPassword(user: MemoryUser, password: string) {
    const old = user[this.passwordField]
    const hash = await this.hasher.make(password)
    if (user[this.passwordField] === old) {
      user[this.passwordField] = hash
    }
  }
}
