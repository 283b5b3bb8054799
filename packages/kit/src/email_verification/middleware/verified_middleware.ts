import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { NextFn } from '@adonisjs/core/types/http'

import { EmailNotVerified } from '#auth/errors'
import { type ProtectionOptions, currentUser } from '#auth/protection'
import { pathTo } from '#http/path_to'
import { wantsPage } from '#http/wants_page'

/**
 * Requires a user with a verified e-mail address: `middleware.verified()`. People
 * are led to the page that asks them to verify it, programs get 403
 * `email_not_verified`.
 */
export default class VerifiedMiddleware {
  async handle(ctx: HttpContext, next: NextFn, options?: ProtectionOptions) {
    const user = await currentUser(ctx, options)
    const manager = await app.container.make('auth_manager')
    const verification = manager.feature('emailVerification')
    if (!verification || verification.isVerified(user)) {
      return next()
    }
    if (!wantsPage(ctx)) {
      throw new EmailNotVerified()
    }
    return ctx.response.redirect().withIntendedUrl().toPath(pathTo('email.notice'))
  }
}
