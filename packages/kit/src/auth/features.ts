import type { HttpContext } from '@adonisjs/core/http'
import Macroable from '@poppinss/macroable'

import { AccountAccess } from '#auth/account_access'
import type { CredentialContexts, CredentialHolder } from '#auth/credential_contexts'
import type { LoginOrigin } from '#auth/guards/guard'
import type { SecurityEventLog } from '#auth/security_events'
import { LoginSteps } from '#auth/login_steps'
import type { Stamps } from '#auth/known_device'
import type { Throttle, ThrottledAction } from '#auth/throttle'

/** What features offer each other. A feature adds a member with `declare module '#auth/features'`. */
export interface AuthFeatures {
  /** SPA mode: pages of these origins use the session cookie. */
  spa: { origins: readonly string[] }
  throttle: Throttle
  credentialContexts: CredentialContexts
  securityLog: SecurityEventLog
}

/** What a provider calls a sign-in: `subject` or `sid` is there. */
export type OriginName = Pick<LoginOrigin, 'issuer'> & {
  subject: string | null
  sid: string | null
  /** Only sign-ins at the provider with this name in the settings. Default: at every one with the issuer. */
  through?: string
}

/** All sign-ins at the provider with this name in the settings. */
export type ProviderName = Pick<LoginOrigin, 'provider'>

/** Whose session ended: the id of the user and the name of the guard. */
export type DestroyedSession = { userId: string | null; guard: string | null }

declare module '@adonisjs/core/types' {
  interface EventsList {
    /** A session ended: by a logout, by `Session.invalidate`, or with all others of its user. */
    'session:destroyed': DestroyedSession
  }
}

/** The login that a session comes from. Instants are epoch milliseconds. */
export interface CurrentLogin {
  /** A name for the session that other systems may know. */
  sid: string
  /** How the user proved who they are (RFC 8176); empty when that is not known. */
  methods: readonly string[]
  at: number
  /** When the session ends unless it is used until then. */
  expiresAt: number
}

/** Where features register what they offer, and look up what others do. */
export class Features extends Macroable {
  readonly #features = new Map<string, unknown>()
  /** What follows a password, e.g. a second factor. */
  readonly loginSteps = new LoginSteps()
  /** What acts for an account beside its password, e.g. passkeys. */
  readonly accountAccess = new AccountAccess(this)
  /** What holds credentials that are bound to something, and can end them. */
  readonly credentialHolders: CredentialHolder[] = []

  registerFeature<Name extends keyof AuthFeatures>(name: Name, feature: AuthFeatures[Name]): this {
    this.#features.set(name, feature)
    return this
  }

  /** What a feature offers, or undefined when its provider is not registered. */
  feature<Name extends keyof AuthFeatures>(name: Name): AuthFeatures[Name] | undefined {
    return this.#features.get(name) as AuthFeatures[Name] | undefined
  }
}

/** Makes an attempt by the rules of `Throttle.attempt`, or just makes it where nothing is throttled. */
export async function attempt<Result>(
  features: Pick<Features, 'feature'>,
  action: ThrottledAction,
  subject: string,
  ctx: HttpContext,
  run: () => Promise<Result | null>,
  stamps?: Stamps
): Promise<Result | null> {
  const throttle = features.feature('throttle')
  return throttle ? throttle.attempt(action, subject, ctx, run, stamps) : run()
}
