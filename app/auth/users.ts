import type { Hash } from '@adonisjs/core/hash'
import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { Credentials, UserId, UserJoin, UserProvider } from '#auth/types'

/** Longer passwords are refused before any work is done on them. */
export const PASSWORD_MAX_LENGTH = 1024

/**
 * The rules about users, over any user provider: who is active, which
 * credentials are right, and that a failed attempt costs the same whatever
 * was wrong with it.
 */
export class Users<User = any> {
  #dummyHash?: Promise<string>

  /**
   * @param name the provider's name in `config/auth.ts`
   * @param hasher makes the hash that an unknown user's password is compared with
   * @param passwordKey credentials key that holds the plain password
   */
  constructor(
    readonly name: string,
    readonly provider: UserProvider<User>,
    readonly hasher: Pick<Hash, 'make' | 'verify'>,
    readonly passwordKey: string = 'password'
  ) {}

  /** Called once at start-up, so that the first request finds everything loaded. */
  async warmUp() {
    await this.provider.warmUp?.()
    await this.#dummy()
  }

  /**
   * The user's identifier as it is stored in rows and sent in tokens: a string.
   *
   * @throws {InvalidArgumentsException} for a user without one, which was never saved
   */
  identify(user: User): string {
    const id = this.provider.getIdentifier(user)
    if (id === undefined || id === null) {
      throw new InvalidArgumentsException(
        `This user of the user provider "${this.name}" has no identifier: save it first`
      )
    }
    return String(id)
  }

  /** The user with this id, active or not. */
  async find(id: UserId): Promise<User | null> {
    return (await this.provider.retrieveById(id)) ?? null
  }

  /** The user with this id, unless it is inactive. */
  async findActive(id: UserId): Promise<User | null> {
    const user = await this.find(id)
    return user && (await this.isActive(user)) ? user : null
  }

  async isActive(user: User): Promise<boolean> {
    return this.provider.isActive ? this.provider.isActive(user) : true
  }

  /**
   * The active user whom the credentials name and whose password they carry;
   * null otherwise. Exactly one password hash is computed, whether the user is
   * unknown, the password wrong, or the user inactive. A hash that costs less
   * than a new one would is renewed.
   */
  async verify(credentials: Credentials): Promise<User | null> {
    const password = credentials[this.passwordKey]
    if (typeof password !== 'string' || password.length > PASSWORD_MAX_LENGTH) {
      return null
    }

    const user = await this.provider.retrieveByCredentials(credentials)
    if (!user) {
      await this.hasher.verify(await this.#dummy(), password)
      return null
    }

    if (!(await this.provider.validateCredentials(user, credentials))) {
      return null
    }
    if (!(await this.isActive(user))) {
      return null
    }
    if (await this.provider.needsRehash?.(user)) {
      await this.provider.updatePassword(user, password)
    }
    return user
  }

  /** What a store on this connection needs to read its row and the user at once; null when it cannot. */
  async join(client: QueryClientContract): Promise<UserJoin<User> | null> {
    return (await this.provider.join?.(client)) ?? null
  }

  #dummy() {
    return (this.#dummyHash ??= this.hasher.make('the password of nobody'))
  }
}
