import type { AuthContext } from '#auth/auth_context'
import type { Guard } from '#auth/guards/guard'
import type { Users } from '#auth/users'

/** What the guards share: the answer is found once per request. */
export abstract class RequestGuard<User = any> implements Guard<User> {
  abstract readonly driver: string
  #answer?: Promise<AuthContext<User>>
  #context: AuthContext<User> | null = null

  constructor(
    readonly name: string,
    readonly users: Users<User>
  ) {}

  get context(): AuthContext<User> | null {
    return this.#context
  }

  authenticate(): Promise<AuthContext<User>> {
    return (this.#answer ??= this.identify().then((context) => (this.#context = context)))
  }

  /**
   * Looks at the request.
   *
   * @throws {AuthError} when it carries no valid credentials
   */
  protected abstract identify(): Promise<AuthContext<User>>

  /** Replaces the answer, after a login; null forgets it, after a logout. */
  protected remember(context: AuthContext<User> | null) {
    this.#context = context
    this.#answer = context ? Promise.resolve(context) : undefined
  }
}
