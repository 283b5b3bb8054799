import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { AuthManager } from '#auth/manager'
import type { Owner, Users } from '#auth/users'
import type { UsedOnce } from '#database/records'
import type { Background } from '#process/background'
import type { MaybePromise } from '#process/maybe_promise'
import type { proven } from '#social/admission'
import type { Organisations } from '#social/organisations'
import type { PendingIdentity } from '#social/pending'
import type { IdentityProvider } from '#social/providers/provider'

/** An identity at a provider: the issuer and the subject, which never change. Instants are epoch milliseconds. */
export interface SocialIdentity extends Owner {
  id: string
  /** Name of the provider in `config/social.ts`. */
  name: string
  issuer: string
  subject: string
  /** The address that the provider told last: a hint for the person, nothing is looked up by it. */
  email: string | null
  /** Of an account that a provider made: changes with the password, so an equal one says that nobody has set a password. */
  passwordMark: string | null
  createdAt: number
  lastUsedAt: number
}

export type NewIdentity = Omit<SocialIdentity, 'id' | 'createdAt' | 'lastUsedAt'>

export type MadeAccount<User> = { user: User; owner: Owner; passwordMark: string | null }

/** Where identities are stored. Methods may be sync or async. */
export interface SocialStore {
  find(
    identity: Pick<SocialIdentity, 'issuer' | 'subject' | 'provider'>
  ): MaybePromise<SocialIdentity | null>
  /** The identities of a user, the oldest first. */
  listFor(owner: Owner): MaybePromise<SocialIdentity[]>
  /** @returns false when the identity belongs to somebody already */
  insert(identity: NewIdentity): MaybePromise<boolean>
  /**
   * Makes an account and gives it the identity: both, or none of them.
   * @param make makes the account on this connection; breaks a unique index when its address is taken
   * @returns null when the identity or the address belongs to somebody already
   */
  insertWithAccount<User>(
    identity: Omit<NewIdentity, keyof Owner | 'passwordMark'>,
    make: (client?: QueryClientContract) => Promise<MadeAccount<User>>
  ): Promise<User | null>
  /** Notes that the identity was used, and the address that the provider told. */
  touch(id: string, email: string | null, now: number): MaybePromise<void>
  /**
   * Of requests at the same moment, one may be the last to keep another.
   * @param options.keepOne one of these names must stay: the user has no other way to sign in
   * @returns why nothing was deleted, or the deleted identity
   */
  delete(
    owner: Owner,
    id: string,
    options: { keepOne: readonly string[] | null }
  ): MaybePromise<SocialIdentity | 'unknown' | 'last'>

  deleteAll(owner: Owner): MaybePromise<void>

  readonly used: UsedOnce
}

export type AddressClaim = 'verified' | 'unverified' | 'nothing'

/** A person, as a provider describes them after a sign-in there. */
export interface SocialProfile {
  issuer: string
  subject: string
  /** Lower case; null when the provider told none that can be one. */
  email: string | null
  says: AddressClaim
  fullName: string | null
  /** The provider's name for its session, which it can end here; null when it told none. */
  sid: string | null
  /** Authentication methods (RFC 8176) that the provider named. */
  amr: readonly string[]
  /** All claims of the ID token and userinfo, for `trustedFor`. */
  claims: Record<string, unknown>
}

/** What binds an answer of a provider to its request. */
export interface Checks {
  state: string
  nonce: string
  /** PKCE (RFC 7636). */
  verifier: string
  /** The person has to sign in there from this instant on (epoch milliseconds); null: whenever. */
  freshSince: number | null
}

/** How the application makes and finds accounts. */
export interface SocialAccounts<User = any> {
  /** The account with this address, active or not. */
  find(email: string): MaybePromise<User | null>

  address(user: User): string
  /**
   * Makes an account whose address is verified.
   * @param account.password the hash of a password that nobody knows
   * @param client connection of the transaction to make it in, if there is one
   */
  create(
    account: { email: string; fullName: string | null; password: string },
    client?: QueryClientContract
  ): Promise<User>
}

/** Delivers what has to be said to the owner of an address that a provider does not vouch for. */
export interface SocialNotifier {
  /** A link, which works in the browser that asked for it. */
  verify(email: string, link: string): MaybePromise<void>
  /** Somebody wants to sign in with this address, and an account has it. */
  taken(email: string): MaybePromise<void>
}

/** Somebody who comes back from a provider. */
export interface Arrival {
  ctx: HttpContext
  users: Users
  provider: IdentityProvider
  identity: PendingIdentity
}

/** What a callback comes to. */
export type SocialOutcome =
  | ReturnType<typeof proven>
  /** The account with this address is joined after its owner has signed in. */
  | { kind: 'join'; email: string; label: string; remember: boolean }
  /** A link was sent to this address. */
  | { kind: 'verify'; email: string }
  | { kind: 'confirmed' }
  | { kind: 'linked'; label: string }
  /** `remember`: what was asked for, for the next attempt. */
  | { kind: 'refused'; purpose: Purpose; reason: Refused; label: string; remember?: boolean }

export type Purpose = 'sign_in' | 'confirm' | 'link'

/** Why nobody is signed in: keys of `social.refused` in the words. */
export type Refused =
  | 'failed'
  | 'bad_link'
  | 'denied'
  | 'unavailable'
  | 'no_address'
  | 'unverified_own'
  | 'inactive'
  | 'in_use'
  | 'other_person'

export interface BeginOptions {
  purpose: Purpose
  /** The signed-in user; null to sign in. */
  user: unknown
  remember?: boolean
}

export interface SocialServices {
  store: SocialStore
  manager: AuthManager
  background: Background
  /** null where there is no table for them. */
  organisations: Organisations | null
  appUrl: string
}
