import type { HttpContext } from '@adonisjs/core/http'

import type { Guard } from '#auth/guards/guard'
import type { AuthManager } from '#auth/manager'
import type { Users } from '#auth/users'

export interface GuardSpec {
  /** `session`, `token`, `oauth2` or its alias `passport`, which is assumed when absent. */
  driver?: string
  /** Name of a user provider in `config/auth.ts`. */
  provider: string
  /** `oauth2` only: accept tokens for this resource, and no other (RFC 8707). */
  audience?: string | null
}

export type GuardFactory = (ctx: HttpContext) => Guard

/** A named factory of guards, registered by the provider of a feature. */
export interface GuardDriver {
  readonly name: string

  /**
   * Called once per configured guard at start-up.
   *
   * @throws {InvalidArgumentsException} when the spec is not usable
   */
  create(options: {
    name: string
    spec: GuardSpec
    users: Users
    manager: AuthManager
  }): GuardFactory
}
