import type { HttpContext } from '@adonisjs/core/http'

import type { Credentials, Users } from '#auth/users'

/** What has to follow a password, e.g. a second factor. A module adds it to `manager.loginSteps`. */
export interface LoginStep<User = any> {
  /** What the step is called in answers: `POST /login` says `{ "two_factor": true }`. */
  readonly name: string
  readonly path: string
  /** Keys of the credentials that take the step. One of them is enough. */
  readonly credentialKeys: readonly string[]
  /** Authentication methods (RFC 8176) of these credentials, for ID tokens. Default: none. */
  methodsOf?(credentials: Credentials): readonly string[]
  isRequired(user: User, users: Users<User>): Promise<boolean>
  /** Called when a login begins to wait for the step. @throws {Throttled} when that happens too often */
  begin?(user: User, users: Users<User>, ctx: HttpContext): Promise<void>
  /** Whether the credentials pass the step. @throws {Throttled} when too many attempts have failed */
  take(user: User, users: Users<User>, credentials: Credentials, ctx: HttpContext): Promise<boolean>
  /** Notes that the caller's device has taken the step: failures of others do not lock its user out. */
  trustDevice?(user: User, users: Users<User>, ctx: HttpContext): void
}

/** Result of credentials: all steps passed, a step is missing, or one failed. */
export type StepsOutcome =
  | { passed: true; taken: string[]; methods: string[] }
  | { passed: false; missing: LoginStep; taken: string[]; methods: string[] }
  | null

/** The steps between a password and a session, in the order in which they were added. */
export class LoginSteps {
  readonly #steps: LoginStep[] = []

  add(step: LoginStep): this {
    this.#steps.push(step)
    return this
  }

  get credentialKeys(): string[] {
    return this.#steps.flatMap(({ credentialKeys }) => credentialKeys)
  }

  /**
   * Takes the steps that credentials can take, and were not `taken` before; null when one fails.
   * @throws {Throttled} when too many attempts have failed
   */
  async take<User>(
    user: User,
    users: Users<User>,
    credentials: Credentials,
    ctx: HttpContext,
    taken: readonly string[] = []
  ): Promise<StepsOutcome> {
    const done = [...taken]
    const methods: string[] = []
    for (const step of this.#steps.filter(({ name }) => !taken.includes(name))) {
      if (!(await step.isRequired(user, users))) {
        continue
      }
      if (!isAddressed(step, credentials)) {
        return { passed: false, missing: step, taken: done, methods }
      }
      if (!(await step.take(user, users, credentials, ctx))) {
        return null
      }
      done.push(step.name)
      methods.push(...(step.methodsOf?.(credentials) ?? []))
    }
    return { passed: true, taken: done, methods }
  }

  trustDevice(taken: readonly string[], user: unknown, users: Users, ctx: HttpContext): void {
    const steps = this.#steps.filter(({ name }) => taken.includes(name))
    steps.forEach((step) => step.trustDevice?.(user, users, ctx))
  }

  /** Whether credentials pass a step of this user. @throws {Throttled} when too many have failed */
  async proves(user: unknown, users: Users, credentials: Credentials, ctx: HttpContext) {
    const step = this.#steps.find((candidate) => isAddressed(candidate, credentials))
    const isRequired = await step?.isRequired(user, users)
    return isRequired ? step!.take(user, users, credentials, ctx) : false
  }
}

function isAddressed({ credentialKeys }: LoginStep, credentials: Credentials) {
  return credentialKeys.some((key) => typeof credentials?.[key] === 'string')
}
