import type { Hash } from '@adonisjs/core/hash'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { InvalidSession } from '#auth/errors'
import { assertArgument } from '#config/checks'
import type { UserProvider } from '#auth/user_providers/user_provider'
import { assertOr } from '#process/assert_or'

/** In characters. Longer passwords are refused before any work is done on them. */
export const PASSWORD_MAX_LENGTH = 1024

/** The length of a password in Unicode code points (NIST SP 800-63B §3.1.1.2). */
export const countCharacters = (password: string): number => [...password].length

/** @throws {InvalidArgumentsException} for a password that is too long: it would never be verified */
export function assertPasswordFits(password: string): void {
  assertArgument(isVerifiable(password), `A password has at most ${PASSWORD_MAX_LENGTH} characters`)
}

function isVerifiable(password: unknown): password is string {
  return typeof password === 'string' && countCharacters(password) <= PASSWORD_MAX_LENGTH
}

/** A user's identifier: a number or a string, e.g. a UUID. It is stored and sent as a string. */
export type UserId = string | number

export function isUserId(userOrId: unknown): userOrId is UserId {
  return typeof userOrId === 'string' || typeof userOrId === 'number'
}

export type Credentials = Record<string, unknown>

/** A user by id and user provider: equal ids of two user providers are different people. */
export type Owner = { userId: string; provider: string }

/** Whether something is this owner's; nobody's is null. */
export function isOwnedBy(thing: Record<keyof Owner, string | null>, { userId, provider }: Owner) {
  return thing.userId === userId && thing.provider === provider
}

/** The rules about users, over any user provider: who is active, which credentials are right. */
export class Users<User = any> {
  #dummyHash?: Promise<string>
  /** The identifiers of users whose provider had to be waited for. */
  readonly #ids = new WeakMap<object, UserId>()
  /** The stamps of users before this process changed their passwords. */
  readonly #stampsBefore = new WeakMap<object, string | null>()

  /**
   * @param name of the provider in `config/auth.ts`
   * @param passwordKey credentials key of the plain password
   * @param usernameKey credentials key of the username
   */
  constructor(
    readonly name: string,
    readonly provider: UserProvider<User>,
    readonly hasher: Pick<Hash, 'make' | 'verify'>,
    readonly passwordKey: string = 'password',
    readonly usernameKey: string = 'email'
  ) {}

  /** Loads the model and makes the dummy hash, so that no request waits for them. */
  async warmUp() {
    await this.provider.warmUp?.()
    await this.#dummy()
  }

  /** The id as rows and tokens carry it. @throws {InvalidArgumentsException} for a user without one */
  identify(user: User): string {
    const id = this.#ids.get(user as object) ?? this.provider.getIdentifier(user)
    const unresolved = `The user provider "${this.name}" has an async getIdentifier: resolve this user first`
    assertArgument(!(id instanceof Promise), unresolved)
    const unsaved = `This user of the user provider "${this.name}" has no identifier: save it first`
    assertArgument(id !== undefined && id !== null, unsaved)
    return String(id)
  }

  ownerOf(user: User): Owner {
    return { userId: this.identify(user), provider: this.name }
  }

  subjectOf(user: User): string {
    return `${this.name}:${this.identify(user)}`
  }

  /** The user with this id, active or not. */
  async find(id: UserId): Promise<User | null> {
    return this.#know((await this.provider.retrieveById(id)) ?? null)
  }

  /** The user with this id, active or not; a user that the caller has made or read is taken as it is. */
  async resolve(userOrId: User | UserId): Promise<User | null> {
    return isUserId(userOrId) ? this.find(userOrId) : this.#know(userOrId)
  }

  /** The id as `identify` gives it; one that is given is taken as it is. */
  async idOf(userOrId: User | UserId): Promise<string> {
    return isUserId(userOrId) ? String(userOrId) : this.identify(await this.#know(userOrId))
  }

  /** The users with these ids, active or not, by their ids as text. */
  async findAll(ids: readonly string[]): Promise<Map<string, User>> {
    const users = this.provider.retrieveAll
      ? await this.provider.retrieveAll(ids)
      : await Promise.all(ids.map((id) => this.find(id)))
    const found = users.filter((user) => user !== null)
    await Promise.all(found.map((user) => this.#know(user)))
    return new Map(found.map((user) => [this.identify(user), user]))
  }

  /** The user, unless it is inactive. `read`: what a store has read together with its row. */
  async findActive(id: UserId, read?: User | null): Promise<User | null> {
    const user = read === undefined ? await this.find(id) : read
    return user && (await this.isActive(user)) ? user : null
  }

  /** A typed username as accounts have it: addresses are kept in lower case. */
  toUsername(typed: string): string {
    return this.usernameKey === 'email' ? typed.trim().toLowerCase() : typed
  }

  /** The username as the account has it; the id where it has none. */
  usernameOf(user: User): string {
    return String((user as any)[this.usernameKey] ?? this.identify(user))
  }

  /** The user with this username, active or not. */
  async findByUsername(username: string): Promise<User | null> {
    return this.#know(await this.provider.retrieveByCredentials({ [this.usernameKey]: username }))
  }

  /** The active user with this username (usually an e-mail address), or null. */
  async findActiveByUsername(username: string): Promise<User | null> {
    const user = await this.findByUsername(username)
    return user && (await this.isActive(user)) ? user : null
  }

  async isActive(user: User): Promise<boolean> {
    return this.provider.isActive ? this.provider.isActive(user) : true
  }

  /**
   * The active user whose username and password match the credentials, or null. A failure costs the
   * same hashing work whatever the reason, so that the time does not tell it. A hash that costs less
   * than a new one would is renewed.
   */
  async verify(credentials: Credentials): Promise<User | null> {
    const password = credentials[this.passwordKey]
    if (!isVerifiable(password)) {
      return null
    }

    const user = await this.#know(await this.provider.retrieveByCredentials(credentials))
    if (!user) {
      await this.hasher.verify(await this.#dummy(), password)
      return null
    }

    const isRight = await this.provider.validateCredentials(user, credentials)
    if (!isRight || !(await this.isActive(user))) {
      return null
    }
    if (await this.provider.needsRehash?.(user)) {
      await this.#renew(user, password)
    }
    return user
  }

  async hasPassword(user: User, password: unknown): Promise<boolean> {
    return isVerifiable(password)
      ? this.provider.validateCredentials(user, { [this.passwordKey]: password })
      : false
  }

  /** Whether the user was deactivated or deleted since it was read, or has a new password, if the provider can tell: a sign-in that began before fails. */
  async hasNewPassword(user: User): Promise<boolean> {
    const isNew = await this.provider.hasNewPassword?.(user)
    return isNew || !(await this.findActive(this.identify(user)))
  }

  /** A text that changes with the user's password; null if the provider has none. */
  passwordStamp(user: User): string | null {
    return this.provider.passwordStamp?.(user) ?? null
  }

  /** The stamp of the password, and the one before if a new one was written to this very object. */
  passwordStamps(user: User): (string | null)[] {
    const before = this.#stampsBefore.get(user as object)
    const stamp = this.passwordStamp(user)
    return before === undefined ? [stamp] : [stamp, before]
  }

  /** The stamp of the user with this username; none when there is no such user. */
  async passwordStampsOf(credentials: Credentials): Promise<(string | null)[]> {
    const user = await this.provider.retrieveByCredentials(credentials)
    return user ? [this.passwordStamp(user)] : []
  }

  /**
   * Sets a new password for a signed-in person: their device stays known.
   * @throws {InvalidSession} when the password was changed meanwhile, e.g. by a reset: that one stays
   */
  async changePassword(user: User, password: string): Promise<void> {
    await this.#renew(user, password)
    await this.assertSamePassword(user)
  }

  /** @throws {InvalidSession} when the password has been changed since the user was read */
  async assertSamePassword(user: User): Promise<void> {
    const isSame = !(await this.hasNewPassword(user))
    assertOr(isSame, InvalidSession, 'The password has been changed meanwhile.')
  }

  /** Lets a store read its row and the user in one statement; null if the provider cannot. */
  join(client: QueryClientContract) {
    return this.provider.join?.(client) ?? null
  }

  /** Waits for the identifier of a user whose provider is async, so that `identify` has it at once. */
  async #know<Found extends User | null>(user: Found): Promise<Found> {
    const id = user && this.provider.getIdentifier(user)
    if (id instanceof Promise) {
      this.#ids.set(user as object, await id)
    }
    return user
  }

  /** Must not overwrite a concurrent change of the password. */
  async #renew(user: User, password: string) {
    this.#stampsBefore.set(user as object, this.passwordStamp(user))
    await (this.provider.renewPassword
      ? this.provider.renewPassword(user, password)
      : this.provider.updatePassword(user, password))
  }

  #dummy() {
    return (this.#dummyHash ??= this.hasher.make('the password of nobody'))
  }
}
