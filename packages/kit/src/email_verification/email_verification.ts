import { createHash } from 'node:crypto'

import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'
import type { HttpRouterService } from '@adonisjs/core/types'

import { EmailNotVerified, InvalidSession, Throttled } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import { verifyPasswordOf } from '#auth/password_login'
import { optionalUser } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import type { Addresses, ResolvedEmailVerificationConfig } from '#email_verification/define_config'
import type { Users } from '#auth/users'
import type { Background } from '#process/background'
import { nullFor } from '#process/null_for'
import { handOver } from '#security/secrets'

/** A signature for another purpose is not accepted. */
const PURPOSE = 'email_verification'
export const LINK_ROUTE = 'email.link'

type Link = { user: unknown; email: string }

/** Verifies that people receive mail at their address, before a new one counts. */
export class EmailVerification {
  constructor(
    protected services: {
      config: ResolvedEmailVerificationConfig
      manager: AuthManager
      router: HttpRouterService
      background: Background
      appUrl: string
    }
  ) {}

  get #addresses(): Addresses {
    return this.services.config.addresses
  }

  get isRequired(): boolean {
    return this.services.config.required
  }

  get users(): Users {
    return this.services.manager.usersOf()
  }

  isVerified(user: unknown): boolean {
    return this.#addresses.isVerified(user)
  }

  stateOf(user: unknown) {
    return {
      email: this.#addresses.current(user),
      verified: this.#addresses.isVerified(user),
      proposed: this.#addresses.proposed(user),
    }
  }

  /** As programs see it. */
  describe(user: unknown) {
    const { email, verified, proposed } = this.stateOf(user)
    return { email, verified, proposed_email: proposed }
  }

  /** The address of the next link: the current one until it is verified. Null for nothing to verify. */
  addressToVerify(user: unknown): string | null {
    const { email, verified, proposed } = this.stateOf(user)
    return verified ? proposed : email
  }

  /**
   * Marks the user's address as verified. Where its owner arrives, call `AccountAccess.firstArrival`.
   * @returns false when the address was verified or changed meanwhile
   */
  async markVerified(user: unknown, ctx?: HttpContext): Promise<boolean> {
    const { email } = this.stateOf(user)
    const isMarked = await this.#addresses.verify(user, email)
    if (isMarked && ctx) {
      await recordSecurityEvent(ctx, user, 'email_verified', { email })
    }
    return isMarked
  }

  /** Forgets the address that the user wants to have instead: its link does not work any more. */
  async forgetProposal(user: unknown): Promise<void> {
    await this.#addresses.propose(user, null)
  }

  /** @throws {EmailNotVerified} when sign-in needs a verified address: another link has been sent */
  async assertMaySignIn(user: unknown, ctx: HttpContext): Promise<void> {
    if (this.isRequired && !this.isVerified(user)) {
      await this.trySendLink(user, ctx)
      throw new EmailNotVerified()
    }
  }

  /** Sends a link to the address to verify, if any. @throws {Throttled} when too many have been sent */
  async sendLink(user: unknown, ctx: HttpContext): Promise<void> {
    const target = this.addressToVerify(user)
    if (target !== null) {
      await this.#count(user, target, ctx)
      this.#send(user, target, ctx)
    }
  }

  /** Sends a link like `sendLink`, or none when too many have been sent. */
  async trySendLink(user: unknown, ctx: HttpContext): Promise<void> {
    await this.sendLink(user, ctx).catch(nullFor(Throttled))
  }

  /**
   * Notes the address that a user wants to have, and sends a link to it; of several clicks at once, one does. Neither the
   * answer nor its time tells whether somebody else has the address.
   * @throws {Throttled} when this user or this address has been sent too many: nothing is noted then
   */
  async propose(user: unknown, email: string, ctx: HttpContext): Promise<void> {
    const { proposed } = this.stateOf(user)
    if ((await this.#addresses.propose(user, email)) === false) {
      return
    }
    await this.#count(user, email, ctx).catch(async (error) => {
      await this.#addresses.propose(user, proposed)
      throw error
    })
    await ctx.authenticator.settle(() => this.forgetProposal(user))
    await recordSecurityEvent(ctx, user, 'email_change_requested', { to: email })
    this.#send(user, email, ctx)
  }

  /** The user and the address of the link that the request came by; null when it does not work (any more). */
  async readLink(ctx: HttpContext): Promise<Link | null> {
    const user = ctx.request.hasValidSignature(PURPOSE)
      ? await this.users.findActive(ctx.params.id)
      : null
    const { email, state } = ctx.request.qs()
    if (!user || !safeEqual(this.#digestOf(user, email), String(state))) {
      return null
    }
    const { email: current, proposed } = this.stateOf(user)
    return email === current || email === proposed ? { user, email } : null
  }

  #digestOf(user: unknown, email: string) {
    const state = [this.#addresses.fingerprint(user), email]
    return createHash('sha256').update(JSON.stringify(state)).digest('base64url')
  }

  async isSignedIn(user: unknown, ctx: HttpContext): Promise<boolean> {
    const viewer = await optionalUser(ctx)
    return viewer !== null && this.users.identify(viewer) === this.users.identify(user)
  }

  /**
   * Verifies the address of the link that the request came by, for somebody who is signed in to its
   * account or knows the password: the link alone shows that a mailbox is read, and not that the
   * account is its owner's. Of several requests at once, all succeed.
   * @returns null when the link does not work (any more)
   * @throws {InvalidSession} when the account is not shown to be the caller's
   * @throws {Throttled} when too many passwords were wrong
   */
  async follow(ctx: HttpContext, password?: unknown): Promise<{ email: string } | null> {
    const link = await this.readLink(ctx)
    if (!link) {
      return null
    }
    const { user, email } = link
    await this.#assertOwn(user, password, ctx)
    const { accountAccess } = this.services.manager
    const arrive = () => accountAccess.firstArrival(user, this.users, ctx, { knowsPassword: true })
    const isChanged = await (email === this.stateOf(user).email ? arrive() : this.#adopt(link, ctx))
    return isChanged || (await this.#isDone(link)) ? { email } : null
  }

  /**
   * A new address that was never preceded by a verified one is an arrival, too. What is older ends before
   * the address counts: a failure in between leaves a link that works, and nothing that a stranger prepared.
   * The reset link of the old address ends as well: it would open the account of whoever has that next.
   */
  async #adopt({ user, email }: Link, ctx: HttpContext) {
    const { email: from, verified } = this.stateOf(user)
    const { accountAccess } = this.services.manager
    const endOlder = async () => verified || accountAccess.endEverything(user, this.users, ctx)
    await endOlder()
    await this.services.manager.feature('passwordResets')?.endLinksOf(user, this.users)
    if (!(await this.#addresses.adopt(user, email))) {
      return false
    }
    /* Once more: a slow request of an old session may have been running. */
    await endOlder()
    await recordSecurityEvent(ctx, user, 'email_changed', { from, to: email })
    return true
  }

  /** Whether another request with the same link has come first. */
  async #isDone({ user, email }: Link) {
    const now = await this.users.findActive(this.users.identify(user))
    return now !== null && this.isVerified(now) && this.stateOf(now).email === email
  }

  async #assertOwn(user: unknown, password: unknown, ctx: HttpContext) {
    const { manager } = this.services
    const knowsPassword = async () =>
      typeof password === 'string' && verifyPasswordOf(manager, this.users, user, password, ctx)
    if (!(await this.isSignedIn(user, ctx)) && !(await knowsPassword())) {
      throw new InvalidSession('Sign in to the account of this link, or send its password.')
    }
  }

  /**
   * Counts a link to one of the user's addresses. Limits are by user, and by mailbox: neither one
   * account nor many fill somebody's mailbox. What strangers propose is counted apart, so that it
   * uses up nothing of the account that has the address.
   */
  async #count(user: unknown, target: string, ctx: HttpContext) {
    const throttle = this.services.manager.feature('throttle')
    const isCurrent = target === this.stateOf(user).email
    const mailbox = `${isCurrent ? 'mailbox' : 'proposed'}:${target}`
    await throttle?.penalize('verificationMails', `user:${this.users.identify(user)}`, ctx)
    await throttle?.penalize('verificationMails', mailbox, ctx)
  }

  /** The link is signed, for one user, one address and the state of both. It expires. */
  #send(user: unknown, target: string, ctx: HttpContext) {
    const isCurrent = target === this.stateOf(user).email
    const { background, config, router, appUrl } = this.services
    background.afterReply(ctx.response, 'send a link that verifies an address', async () => {
      if (!isCurrent && (await this.#addresses.isTaken(target))) {
        return config.notifier.taken(target)
      }
      const path = router.makeSignedUrl(LINK_ROUTE, [this.users.identify(user)], {
        qs: { email: target, state: this.#digestOf(user, target) },
        expiresIn: `${config.expire} minutes`,
        purpose: PURPOSE,
      })
      const link = new URL(path, appUrl)
      const signature = link.searchParams.get('signature')!
      return handOver(signature, () => config.notifier.verify(user, target, link.href))
    })
  }
}
