import type { GuardsByDriver, GuardSpec } from '#auth/guards/driver'
import type { LoginGuard } from '#auth/guards/guard'
import type { UserOfProvider, UserProviderSpec } from '#auth/user_providers/user_provider'

/**
 * The guards of the application, by name, for the types of `ctx.authenticator`, the facade and the
 * middleware. Without the augmentation every name is a string and every user `any`.
 * @example
 * declare module '#auth/guard_types' {
 *   interface Authenticators extends InferAuthenticators<typeof authConfig> {}
 * }
 */
export interface Authenticators {}

/** Key under which `Authenticators` keeps the name of the default guard. */
declare const DEFAULT_GUARD: unique symbol

/** The guards that a `defineConfig` of `config/auth.ts` describes. */
export type InferAuthenticators<
  Config extends {
    default: { guard: string }
    guards: Record<string, GuardSpec>
    providers: Record<string, UserProviderSpec>
  },
> = {
  [Name in keyof Config['guards']]: GuardOf<Config['guards'][Name], Config['providers']>
} & { [DEFAULT_GUARD]: Config['default']['guard'] }

type DriverName<Spec> = Spec extends { driver: infer Name extends string }
  ? Name extends 'passport'
    ? 'oauth2'
    : Name
  : 'oauth2'

type GuardOf<Spec extends GuardSpec, Providers> = GuardsByDriver<
  Spec['provider'] extends keyof Providers ? UserOfProvider<Providers[Spec['provider']]> : any
>[DriverName<Spec> extends keyof GuardsByDriver<any> ? DriverName<Spec> : '*']

type NamesOf<Guards> = Extract<keyof Guards, string>

export type GuardName<Guards = Authenticators> = [NamesOf<Guards>] extends [never]
  ? string
  : NamesOf<Guards>

export type DefaultGuardName<Guards = Authenticators> = Guards extends {
  [DEFAULT_GUARD]: infer Name extends GuardName<Guards>
}
  ? Name
  : GuardName<Guards>

type NameOfKind<Kind, Guards> = [NamesOf<Guards>] extends [never]
  ? string
  : { [Name in NamesOf<Guards>]: Guards[Name] extends Kind ? Name : never }[NamesOf<Guards>]

/** Name of a guard that can sign users in and out. */
export type LoginGuardName<Guards = Authenticators> = NameOfKind<LoginGuard<any>, Guards>

/** Name of a guard with this driver: `session`, `token` or `oauth2`. */
export type GuardNameWith<Driver extends string, Guards = Authenticators> = NameOfKind<
  { driverName: Driver },
  Guards
>

export type GuardNamed<Name, Guards = Authenticators> = Name extends keyof Guards
  ? Guards[Name]
  : any

/** The users of the guard with this name; a union for several names. */
export type UserOf<Name = GuardName, Guards = Authenticators> = Name extends keyof Guards
  ? Guards[Name] extends { getUserOrFail(): infer User }
    ? User
    : never
  : any
