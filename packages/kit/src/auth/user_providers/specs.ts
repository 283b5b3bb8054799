import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import type { UserProvider } from '#auth/user_providers/user_provider'
import type { MaybePromise } from '#process/maybe_promise'

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

/** The users of a user provider, by its spec. */
export type UserOfProvider<Spec> = Spec extends { model: infer Reference }
  ? UserOfModel<Reference>
  : Spec extends { instance: UserProvider<infer User> }
    ? User
    : Spec extends { factory: () => MaybePromise<UserProvider<infer User>> }
      ? User
      : any
