import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import manager from '#auth/service'
import { EmailNotVerified } from '#auth/errors'
import { type ProtectionOptions, currentUser } from '#auth/protection'
import { pathTo, wantsPage } from '#http/pages'
import { assertOr } from '#process/assert_or'

/** Requires a verified e-mail address. People are led to the page for it, programs get 403. */
export default class VerifiedMiddleware {
  async handle(ctx: HttpContext, next: NextFn, options?: ProtectionOptions) {
    const user = await currentUser(ctx, options)
    const verification = manager.feature('emailVerification')
    if (!verification || verification.isVerified(user)) {
      return next()
    }
    assertOr(wantsPage(ctx), EmailNotVerified)
    return ctx.response.redirect().withIntendedUrl().toPath(pathTo('email.notice'))
  }
}
