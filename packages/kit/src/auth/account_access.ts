import type { HttpContext } from '@adonisjs/core/http'

import type { Features } from '#auth/features'
import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { generateSecret } from '#security/secrets'

/**
 * One kind of access to an account, or protection of it, besides password and sessions: passkeys,
 * tokens, … A feature adds its kind with `manager.accountAccess.add(kind)`.
 */
export interface AccessKind<User = any> {
  /** Its name in answers, `passkeys`; `pages.account.access.kinds` has its words. */
  readonly name: string
  /** Route of the page to manage it. Kinds without one give no access, and are not listed. */
  readonly route?: string
  countOf(user: User, users: Users<User>): Promise<number>
  /** Ends all of a user's, in every process; with `keepsWayIn`, who has no password keeps one that opens the account. @returns how many of them this has ended; nothing counts as all */
  endAllOf(user: User, users: Users<User>, keepsWayIn?: boolean): Promise<number | void>
}

/**
 * What has access to an account, and the rule that gives an account to the owner of its address. A
 * stranger may have registered it: when its owner first arrives, all earlier access ends.
 */
export class AccountAccess {
  readonly #kinds: AccessKind[] = []

  constructor(protected features: Pick<Features, 'feature'>) {}

  add(kind: AccessKind): void {
    this.#kinds.push(kind)
  }

  async listOf<User>(user: User, users: Users<User>) {
    const list = await Array.fromAsync(this.#listed(), async (kind) => {
      const { name, route } = kind
      return { name, route: route!, count: await kind.countOf(user, users) }
    })
    return list.filter(({ count }) => count > 0)
  }

  /** Ends what `listOf` lists, and returns how many; also the other sessions, which may have come by it. A second factor stays: it protects the account. */
  async endListed<User>(user: User, users: Users<User>, ctx: HttpContext): Promise<number> {
    const sessions = this.features.feature('sessions')
    await sessions?.destroyOthersOf(user, users, ctx)
    const count = await this.#end(user, users, ctx, true)
    /* Once more: a sign-in by what has ended may have been running. */
    await sessions?.destroyOthersOf(user, users, ctx)
    return count
  }

  /**
   * After a password reset by mail, sessions, pending sign-ins, confirmations and a proposed address
   * end. If the address was not verified, its owner has arrived.
   * @param ctx for the security log; without one nothing is recorded
   */
  async recover<User>(user: User, users: Users<User>, ctx?: HttpContext): Promise<void> {
    await this.features.feature('sessions')?.destroyAllOf(user, users)
    const verification = this.#verificationOf(users)
    await verification?.forgetProposal(user)
    if (verification && !verification.isVerified(user)) {
      await this.#end(user, users, ctx)
      await verification.markVerified(user, ctx)
      /* Once more: a slow request of an old session may have been running. */
      await this.features.feature('sessions')?.destroyAllOf(user, users)
      await this.#end(user, users, ctx)
    }
  }

  /**
   * Called when someone shows that the address is theirs: by a link, a sign-in with another
   * provider, an invitation. The first time ends everything older, except the session of this
   * request, and verifies the address. Later calls do nothing.
   * @param options.knowsPassword whether the owner has shown that the account's password, or a
   * session of it, is theirs. Otherwise it ends as well: `broker.sendResetLink` gives them one.
   * @returns whether it was the first time
   */
  async firstArrival<User>(
    user: User,
    users: Users<User>,
    ctx: HttpContext,
    { knowsPassword = false }: { knowsPassword?: boolean } = {}
  ): Promise<boolean> {
    const verification = this.#verificationOf(users)
    if (!verification || verification.isVerified(user)) {
      return false
    }
    if (!knowsPassword) {
      await users.provider.updatePassword(user, generateSecret())
      await verification.forgetProposal(user)
    }
    await this.endEverything(user, users, ctx)
    const isFirst = await verification.markVerified(user, ctx)
    /* Once more: a slow request of an old session may have been running. */
    isFirst && (await this.#end(user, users, ctx))
    return isFirst
  }

  /** @param names null for all kinds */
  async endKinds<User>(names: readonly string[] | null, user: User, users: Users<User>) {
    for (const kind of this.#kinds.filter(({ name }) => names?.includes(name) ?? true)) {
      await kind.endAllOf(user, users)
    }
  }

  /** Ends everything of all kinds, except the password and the session of this request. */
  async endEverything<User>(user: User, users: Users<User>, ctx: HttpContext): Promise<void> {
    await this.features.feature('sessions')?.destroyOthersOf(user, users, ctx)
    await this.#end(user, users, ctx)
  }

  /** Only the users of one user provider have addresses that are verified. */
  #verificationOf(users: Users) {
    const verification = this.features.feature('emailVerification')
    return verification?.users === users ? verification : undefined
  }

  /** @param isAsked whether their owner asks for it: of what is listed, who has no password keeps a way in */
  async #end(user: unknown, users: Users, ctx?: HttpContext, isAsked = false) {
    let count = 0
    for (const kind of isAsked ? this.#listed() : this.#kinds) {
      const before = await kind.countOf(user, users)
      count += (await kind.endAllOf(user, users, isAsked)) ?? before
    }
    if (count && ctx) {
      await recordSecurityEvent(ctx, user, 'access_ended', { count }, users)
    }
    return count
  }

  #listed() {
    return this.#kinds.filter(({ route }) => route !== undefined)
  }
}
