import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'
import type { Hash } from '@adonisjs/core/hash'

import type { Credentials, UserId } from '#auth/users'
import type { MaybePromise } from '#process/maybe_promise'
import type { RowJoin } from '#database/raw_rows'
import { hashSecret } from '#security/secrets'

/** Any object with the five required methods is a provider; each method may be sync or async. */
export interface UserProvider<User = any> {
  retrieveById(id: UserId): MaybePromise<User | null>
  /** The users with these ids, in one query; without it each is looked up. */
  retrieveAll?(ids: readonly string[]): MaybePromise<User[]>
  /** The user with the username in the credentials; the password is not checked. */
  retrieveByCredentials(credentials: Credentials): MaybePromise<User | null>
  validateCredentials(user: User, credentials: Credentials): MaybePromise<boolean>
  getIdentifier(user: User): MaybePromise<UserId>
  /** Stores a new password, given in plain text. */
  updatePassword(user: User, password: string): MaybePromise<void>
  /** Whether the user is active. Without this method every user is. */
  isActive?(user: User): MaybePromise<boolean>
  /** Whether the stored hash is cheaper than new ones. */
  needsRehash?(user: User): MaybePromise<boolean>
  /** Hashes the password again, unless it has changed since the user was read. Default: `updatePassword`. */
  renewPassword?(user: User, password: string): MaybePromise<void>
  /** Whether the stored password has changed since this user was read. */
  hasNewPassword?(user: User): MaybePromise<boolean>
  /** A text that changes with the password and does not tell it. Ends a login that is under way. */
  passwordStamp?(user: User): string
  /** Called once at start-up. */
  warmUp?(): MaybePromise<void>
  /** Called at the start of a server. @throws {InvalidArgumentsException} for a setting that names no attribute of the users */
  assertFields?(name: string): MaybePromise<void>
  /** Lets a store read a row and its user in one statement; null on another connection. */
  join?(client: QueryClientContract): MaybePromise<RowJoin<User> | null>
}

/** A model class, or a function that imports it when it is needed. */
export type ModelReference<Model> = Model | (() => Promise<{ default: Model }>)
/** A function, or the name of an attribute, that tells whether a user is active. */
export type IsActive<User = any> = string | ((user: User) => MaybePromise<boolean>)

/** The names of the attributes and credentials that a user provider works with. */
export interface UserFields<User = any> {
  /** Attribute and credentials key that name a user. Default `email`. */
  usernameField?: string
  /** Attribute that holds the password hash. Default `password`. */
  passwordField?: string
  /** Credentials key that holds the plain password. Default: the name of `passwordField`. */
  passwordKey?: string
  /** Attribute that identifies a user. Default: the model's primary key, or `id`. */
  idField?: string
  /** Default: every user is active. */
  isActive?: IsActive<User>
}

export interface LucidUserProviderSpec<Model extends LucidModel = LucidModel> extends UserFields<
  InstanceType<Model> & LucidRow
> {
  driver: 'lucid' | 'orm' | 'model' | 'async_model'
  model: ModelReference<Model>
}

export interface MemoryUserProviderSpec extends UserFields<Record<string, any>> {
  driver: 'memory'
  /** Users to start with, their passwords in plain text. */
  users?: Record<string, unknown>[]
}

export type UserProviderSpec =
  | LucidUserProviderSpec<any>
  | MemoryUserProviderSpec
  | { driver: 'instance'; instance: UserProvider }
  | { driver: 'factory'; factory: () => MaybePromise<UserProvider> }

type UserOfModel<Reference> = Reference extends () => Promise<{ default: infer Model }>
  ? UserOfModel<Model>
  : Reference extends abstract new (...args: any[]) => infer User
    ? User
    : never

export type UserOfProvider<Spec> = Spec extends { model: infer Reference }
  ? UserOfModel<Reference>
  : Spec extends { instance: UserProvider<infer User> }
    ? User
    : Spec extends { factory: () => MaybePromise<UserProvider<infer User>> }
      ? User
      : any

export type PasswordHash = Pick<Hash, 'make' | 'verify' | 'needsReHash'>

/** Users whose username and password hash are attributes of the names that the spec gives. */
export abstract class AttributeUserProvider<User> {
  protected readonly usernameField: string
  protected readonly passwordField: string

  constructor(
    protected spec: UserFields<any>,
    protected hasher: PasswordHash
  ) {
    this.usernameField = spec.usernameField ?? 'email'
    this.passwordField = spec.passwordField ?? 'password'
  }

  validateCredentials(user: User, credentials: Credentials) {
    const { passwordKey = this.passwordField } = this.spec
    return this.hasher.verify(this.hashOf(user), String(credentials[passwordKey]))
  }

  async isActive(user: User): Promise<boolean> {
    const { isActive = () => true } = this.spec
    return Boolean(typeof isActive === 'string' ? (user as any)[isActive] : await isActive(user))
  }

  passwordStamp(user: User): string {
    return hashSecret(this.hashOf(user))
  }

  needsRehash(user: User): boolean {
    return this.hasher.needsReHash(this.hashOf(user))
  }

  /** null if it is missing or empty. */
  protected usernameIn(credentials: Credentials): string | null {
    const username = credentials[this.usernameField]
    return typeof username === 'string' && username !== '' ? username : null
  }

  protected hashOf(user: User): string {
    return String((user as any)[this.passwordField])
  }
}

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
