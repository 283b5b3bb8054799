import type { HttpContext } from '@adonisjs/core/http'

import type { Guard } from '#auth/guards/guard'
import type { Users } from '#auth/users'

export interface GuardSpec {
  /** `session`, `token`, `oauth2`, its alias `passport`, or one of your own. Default `oauth2`. */
  driver?: string
  /** Name of a user provider in `config/auth.ts`. */
  provider: string
  /** `oauth2` only: accept tokens for this resource, and no other (RFC 8707). */
  audience?: string | null
}

export type GuardOptions<User = any> = { name: string; spec: GuardSpec; users: Users<User> }

export type GuardFactory<User = any> = (ctx: HttpContext) => Guard<User>

/** A named factory of guards, registered by the provider of a feature. */
export interface GuardDriver {
  readonly name: string
  /** Called once per configured guard. @throws {InvalidArgumentsException} when the spec is not usable */
  create<User>(options: GuardOptions<User>): GuardFactory<User>
}

/**
 * The guard class of each driver, for the types. A module adds its own:
 * @example
 * declare module '#auth/guards/driver' {
 *   interface GuardsByDriver<User> {
 *     basic: BasicGuard<User>
 *   }
 * }
 */
export interface GuardsByDriver<User> {
  /** A driver that is not declared here gives the contract alone. */
  '*': Guard<User>
}
