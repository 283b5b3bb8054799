import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import type { UserProvider } from '#auth/user_providers/user_provider'
import type { MaybePromise } from '#support/maybe_promise'

type ModelReference<Model> = Model | (() => Promise<{ default: Model }>)

/** A callable or the name of an attribute that says whether a user is active. */
export type IsActive<User = any> = string | ((user: User) => MaybePromise<boolean>)

/** The names under which a user provider finds what it needs. */
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
