import type { HttpContext } from '@adonisjs/core/http'
import Macroable from '@poppinss/macroable'

import { AccountAccess } from '#auth/account_access'
import type { CredentialHolder } from '#auth/credential_contexts'
import type { LoginOrigin } from '#auth/guards/guard'
import { LoginSteps } from '#auth/login_steps'
import type { Throttle } from '#auth/throttle'
import type { Users } from '#auth/users'

/**
 * What features offer each other, by name. A feature adds its own member with
 * `declare module '#auth/features'`.
 */
export interface AuthFeatures {
  /** SPA mode: pages of these origins use the session cookie (ApiTokenConfig, `statefulOrigins`). */
  spa: { origins: readonly string[] }

  /** Sessions of the users of session guards. */
  sessions: UserSessions

  /** Fresh confirmations, for what makes credentials. */
  confirmations: Confirmations

  /** Limits of failed attempts. */
  throttle: Throttle

  /** A scheme of access tokens besides Bearer. */
  tokenScheme: TokenScheme
}

/** A scheme of access tokens besides Bearer, e.g. DPoP (RFC 9449 §7.1). */
export interface TokenScheme {
  /** The challenge of a refusal: the Bearer challenge, with or in the place of one of the scheme. */
  challengeFor(ctx: HttpContext, bearer: string): string
}

/** What other features can do with sessions. */
export interface UserSessions {
  /** Ends all sessions of a user, in every process; returns how many there were. */
  destroyAllOf(user: unknown, users: Users): Promise<number>

  /** Ends all sessions of a user but the one of this request; returns how many there were. */
  destroyOthersOf(user: unknown, users: Users, ctx: HttpContext): Promise<number>

  /** Ends the sessions that come from a sign-in at a provider: of a person there, of a session there, or of both. Returns how many there were. */
  destroyFrom(origin: OriginName): Promise<number>

  /** Ends the session of a request and deletes its cookies. */
  invalidate(ctx: HttpContext): Promise<void>

  /** The login that the session of a request comes from; null without a session of a user. */
  currentLogin(ctx: HttpContext): CurrentLogin | null

  /** The names (`sid`) of a user's live sessions. */
  liveLogins(userId: string, users: Users): Promise<string[]>
}

/** What a provider calls a sign-in: `subject` or `sid` is there. */
export type OriginName = Pick<LoginOrigin, 'issuer'> & {
  subject: string | null
  sid: string | null
}

/** Asks people whether it is still them. */
export interface Confirmations {
  /**
   * Requires a fresh confirmation of a caller who came by a session. One who came by
   * a token has none to show and passes: its scopes decide what it may make.
   *
   * @throws {Unauthenticated} 401 unless a user is authenticated
   * @throws {ConfirmationRequired} 403 when the confirmation is missing or too old
   */
  requireOfSession(ctx: HttpContext): Promise<void>
}

declare module '@adonisjs/core/types' {
  interface EventsList {
    /** A session ended: by a logout, by `Session.invalidate`, or with all others of its user. */
    'session:destroyed': { userId: string | null; guard: string | null }
  }
}

/** The login that a session comes from. Instants are epoch milliseconds. */
export interface CurrentLogin {
  /** A name for the session that other systems may know. */
  sid: string
  /** How the user proved who they are (RFC 8176); empty when that is not known. */
  methods: readonly string[]
  at: number
  /** The absolute end of the session. */
  expiresAt: number
}

/** Where features register what they offer, and look up what others do. */
export class Features extends Macroable {
  readonly #features = new Map<string, unknown>()

  /** What follows a password, e.g. a second factor. */
  readonly loginSteps = new LoginSteps()

  /** What acts for an account beside its password, e.g. passkeys, and what ends when its owner arrives. */
  readonly accountAccess = new AccountAccess(this)

  /** What holds credentials that are bound to something, and can end them. */
  readonly credentialHolders: CredentialHolder[] = []

  /** Offers something to the other features under a name. */
  registerFeature<Name extends keyof AuthFeatures>(name: Name, feature: AuthFeatures[Name]): this {
    this.#features.set(name, feature)
    return this
  }

  /** What a feature offers, or undefined when its provider is not registered. */
  feature<Name extends keyof AuthFeatures>(name: Name): AuthFeatures[Name] | undefined {
    return this.#features.get(name) as AuthFeatures[Name] | undefined
  }
}
