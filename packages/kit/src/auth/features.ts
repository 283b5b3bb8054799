import type { HttpContext } from '@adonisjs/core/http'
import Macroable from '@poppinss/macroable'

import { AccountAccess } from '#auth/account_access'
import type { CredentialContexts, CredentialHolder } from '#auth/credential_contexts'
import type { LoginOrigin } from '#auth/guards/guard'
import type { SecurityEventLog } from '#auth/security_events'
import { LoginSteps } from '#auth/login_steps'
import type { Throttle, ThrottledAction } from '#auth/throttle'
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

  emailVerification: VerifiedAddresses

  /** What tokens and grants can be bound to. */
  credentialContexts: CredentialContexts

  securityLog: SecurityEventLog
}

/** What other features ask about verified e-mail addresses. */
export interface VerifiedAddresses {
  /** Whether people without a verified address cannot sign in. */
  readonly isRequired: boolean

  /** Whose addresses they are. */
  readonly users: Users

  isVerified(user: unknown): boolean

  /**
   * Marks the user's address as verified, and records it as a security event of the request.
   * Call `manager.accountAccess.firstArrival` instead where the owner arrives.
   *
   * @returns false when the address was verified or changed meanwhile
   */
  markVerified(user: unknown, ctx?: HttpContext): Promise<boolean>

  /** Forgets the address that the user wants to have instead: its link does not work any more. */
  forgetProposal(user: unknown): Promise<void>

  /**
   * Sends a link to the user's address while it is not verified, and to the proposed
   * one afterwards, if there is one. The mail goes out after the reply.
   *
   * @throws {Throttled} when this user or this address has been sent too many
   */
  sendLink(user: unknown, ctx: HttpContext): Promise<void>

  /** Sends a link like `sendLink`, or none when too many have been sent. */
  trySendLink(user: unknown, ctx: HttpContext): Promise<void>

  /**
   * Lets a user sign in, or sends another link.
   *
   * @throws {EmailNotVerified} when sign-in needs a verified address and the user has none
   */
  assertMaySignIn(user: unknown, ctx: HttpContext): Promise<void>
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

  /** Ends the sessions that come from a sign-in at a provider: of a person there, of a session there, of both, or all. Returns whose they were. */
  destroyFrom(origin: OriginName | ProviderName): Promise<DestroyedSession[]>

  /** Ends the session of a request and deletes its cookies. */
  invalidate(ctx: HttpContext): Promise<void>

  /** The login that the session of a request comes from; null without a session of a user. */
  currentLogin(ctx: HttpContext): CurrentLogin | null

  /** The names (`sid`) of a user's live sessions, and when each ends unless it is used until then. */
  liveLogins(userId: string, users: Users): Promise<Map<string, number>>
}

/** What a provider calls a sign-in: `subject` or `sid` is there. */
export type OriginName = Pick<LoginOrigin, 'issuer'> & {
  subject: string | null
  sid: string | null
}

/** All sign-ins at the provider with this name in the settings. */
export type ProviderName = Pick<LoginOrigin, 'provider'>

/** Whose session ended: the id of the user and the name of the guard. */
export interface DestroyedSession {
  userId: string | null
  guard: string | null
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
  /** When the session ends unless it is used until then. */
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

/** Makes an attempt by the rules of `Throttle.attempt`, or just makes it where nothing is throttled. */
export async function attempt<Result>(
  features: Pick<Features, 'feature'>,
  action: ThrottledAction,
  subject: string,
  ctx: HttpContext,
  run: () => Promise<Result | null>,
  stamps?: Parameters<Throttle['attempt']>[4]
): Promise<Result | null> {
  const throttle = features.feature('throttle')
  return throttle ? throttle.attempt(action, subject, ctx, run, stamps) : run()
}
