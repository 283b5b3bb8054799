import { createHash } from 'node:crypto'

import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import type { Users } from '#auth/users'
import type { EmailVerificationServices } from '#email_verification/email_verification'

/** A signature for another purpose is not accepted. */
const PURPOSE = 'email_verification'
export const LINK_ROUTE = 'email.link'

export interface Link {
  user: unknown
  email: string
}

/** Links that are signed, for one user, one address and the state of both. They expire. */
export class Links {
  constructor(protected services: EmailVerificationServices) {}

  make(user: unknown, email: string, users: Users): string {
    const { router, config, appUrl } = this.services
    const path = router.makeSignedUrl(LINK_ROUTE, [users.identify(user)], {
      qs: { email, state: this.#state(user, email) },
      expiresIn: `${config.expire} minutes`,
      purpose: PURPOSE,
    })
    return new URL(path, appUrl).href
  }

  /** The user and the address of the link that the request came by; null when it does not work (any more). */
  async read(ctx: HttpContext, users: Users): Promise<Link | null> {
    if (!ctx.request.hasValidSignature(PURPOSE)) {
      return null
    }
    const { email, state } = ctx.request.qs()
    const user = await users.findActive(ctx.params.id)
    return user && safeEqual(this.#state(user, email), String(state)) ? { user, email } : null
  }

  #state(user: unknown, email: string) {
    const state = [this.services.config.addresses.fingerprint(user), email]
    return createHash('sha256').update(JSON.stringify(state)).digest('base64url')
  }
}
