import { createHash } from 'node:crypto'

import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'
import type { HttpRouterService } from '@adonisjs/core/types'

import type { VerifiedAddresses } from '#auth/email_verification'
import { EmailNotVerified, Throttled } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import { recordSecurityEvent } from '#auth/security_events'
import type { ResolvedEmailVerificationConfig } from '#email_verification/define_config'
import type { Background } from '#support/background'

/** What the signature of a link is good for, and nothing else's is. */
const PURPOSE = 'email_verification'

/** Name of the route that a link leads to. */
export const LINK_ROUTE = 'email.link'

export interface EmailVerificationServices {
  config: ResolvedEmailVerificationConfig
  manager: AuthManager
  router: HttpRouterService
  background: Background
  /** Where people reach the application. */
  appUrl: string
}

/**
 * Verifies that people receive mail at their address, before a new one counts.
 * Links are signed, for one user, one address and one purpose, and expire.
 */
export class EmailVerification implements VerifiedAddresses {
  readonly #services: EmailVerificationServices

  constructor(services: EmailVerificationServices) {
    this.#services = services
  }

  get #addresses() {
    return this.#services.config.addresses
  }

  get isRequired(): boolean {
    return this.#services.config.required
  }

  isVerified(user: unknown): boolean {
    return this.#addresses.isVerified(user)
  }

  /** What the person's account says of addresses. */
  stateOf(user: unknown) {
    return {
      email: this.#addresses.current(user),
      verified: this.#addresses.isVerified(user),
      proposed: this.#addresses.proposed(user),
    }
  }

  async assertMaySignIn(user: unknown, ctx: HttpContext): Promise<void> {
    if (!this.isRequired || this.isVerified(user)) {
      return
    }
    await this.sendLink(user, ctx).catch(unlessThrottled)
    throw new EmailNotVerified()
  }

  /**
   * Sends a link for the proposed address, or else for the current one unless it
   * is verified. The mail goes out after the reply.
   *
   * @throws {Throttled} when this user or this address has been sent too many
   */
  async sendLink(user: unknown, ctx: HttpContext): Promise<void> {
    const { email, verified, proposed } = this.stateOf(user)
    const target = proposed ?? (verified ? null : email)
    if (target === null) {
      return
    }
    await this.#penalize(user, target, ctx)
    const { background, config } = this.#services
    background.afterReply(ctx.response, 'send a link that verifies an address', async () => {
      await (target === proposed && (await this.#addresses.isTaken(target))
        ? config.notifier.taken(target)
        : config.notifier.verify(user, target, this.#link(user, target)))
    })
  }

  /**
   * Notes the address that a user wants to have, and sends a link to it. Neither
   * the answer nor its time tells whether somebody else has the address.
   *
   * @throws {Throttled} when this user or this address has been sent too many
   */
  async propose(user: unknown, email: string | null, ctx: HttpContext): Promise<void> {
    await this.#addresses.propose(user, email)
    if (email !== null) {
      await recordSecurityEvent(ctx, user, 'email_change_requested', { to: email })
      await this.sendLink(user, ctx)
    }
  }

  /** The user and the address of the link that the request came by; null when it does not work (any more). */
  async readLink(ctx: HttpContext): Promise<{ user: unknown; email: string } | null> {
    if (!ctx.request.hasValidSignature(PURPOSE)) {
      return null
    }
    const { email, state } = ctx.request.qs()
    const user = await this.#services.manager.usersOf().findActive(ctx.params.id)
    if (!user || !safeEqual(this.#state(user, email), String(state))) {
      return null
    }
    const { email: current, proposed } = this.stateOf(user)
    return email === current || email === proposed ? { user, email } : null
  }

  /** Verifies the address of the link that the request came by; null when the link does not work (any more). */
  async follow(ctx: HttpContext): Promise<{ email: string } | null> {
    const link = await this.readLink(ctx)
    if (!link) {
      return null
    }
    const { user, email } = link
    const { email: from, verified } = this.stateOf(user)
    if (email !== from) {
      if (!(await this.#addresses.adopt(user, email))) {
        return null
      }
      await recordSecurityEvent(ctx, user, 'email_changed', { from, to: email })
    } else if (!verified) {
      if (!(await this.#addresses.verify(user, email))) {
        return null
      }
      await recordSecurityEvent(ctx, user, 'email_verified', { email })
    }
    return { email }
  }

  #link(user: unknown, email: string) {
    const { manager, router, config, appUrl } = this.#services
    const id = manager.usersOf().identify(user)
    const path = router.makeSignedUrl(LINK_ROUTE, [id], {
      qs: { email, state: this.#state(user, email) },
      expiresIn: `${config.expire} minutes`,
      purpose: PURPOSE,
    })
    return new URL(path, appUrl).href
  }

  #state(user: unknown, email: string) {
    return createHash('sha256')
      .update(JSON.stringify([this.#addresses.fingerprint(user), email]))
      .digest('base64url')
  }

  /** By user, and by mailbox: neither one account nor many fill somebody's mailbox. */
  async #penalize(user: unknown, email: string, ctx: HttpContext) {
    const { manager } = this.#services
    const throttle = manager.feature('throttle')
    const id = manager.usersOf().identify(user)
    await throttle?.penalize('verificationMails', `user:${id}`, ctx)
    await throttle?.penalize('verificationMails', `mailbox:${email}`, ctx)
  }
}

function unlessThrottled(error: unknown) {
  if (!(error instanceof Throttled)) {
    throw error
  }
}
