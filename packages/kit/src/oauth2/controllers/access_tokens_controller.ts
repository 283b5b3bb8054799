import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { authContext, currentUser } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { currentUserKey } from '#oauth2/current_user'
import { wantsPage } from '#http/wants_page'
import { showOnce, shownOnce } from '#http/shown_once'
import { accessTokenValidator } from '#oauth2/validators/access_token'

const SECOND = 1000

/** A person's personal access tokens. Programs make and revoke them at /oauth/personal-access-tokens. */
@inject()
export default class AccessTokensController {
  constructor(protected server: AuthorizationServer) {}

  async index(ctx: HttpContext) {
    if (!wantsPage(ctx)) {
      ctx.response.header('Cache-Control', 'no-store')
      return this.server.personalAccessTokens.list(await currentUserKey(ctx))
    }
    return this.#render(ctx)
  }

  /** Creates a token. The page that follows shows it once. */
  async store(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { name, scopes, ttl } = await ctx.request.validateUsing(accessTokenValidator, {
      meta: { scopes: Object.keys(this.server.config.scopes) },
    })
    const manager = await app.container.make('auth_manager')
    const context = await manager.feature('credentialContexts')?.current(ctx)
    const created = await this.server.personalAccessTokens.create(
      await currentUserKey(ctx),
      await authContext(ctx),
      { name, scopes, ttl, context }
    )
    await recordSecurityEvent(ctx, user, 'token_created', { name })
    showOnce(ctx, 'access_token', created.access_token)
    return ctx.response.redirect().toPath('/account/access-tokens')
  }

  /** Revokes a token of this person; every other one is left alone. */
  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const name = await this.server.personalAccessTokens.revoke(
      await currentUserKey(ctx),
      ctx.params.jti
    )
    if (name !== null) {
      await recordSecurityEvent(ctx, user, 'token_revoked', { name })
    }
    ctx.session.flash('success', ctx.i18n.t('pages.account.tokens.revoked'))
    return ctx.response.redirect().toPath('/account/access-tokens')
  }

  async #render(ctx: HttpContext) {
    const tokens = await this.server.personalAccessTokens.list(await currentUserKey(ctx))
    ctx.response.header('Cache-Control', 'no-store')
    return ctx.view.render('pages/account/access_tokens', {
      plainText: shownOnce(ctx, 'access_token'),
      catalogue: this.server.config.scopes,
      tokens: tokens.map((token) => ({
        ...token,
        createdAt: new Date(token.created_at * SECOND),
        expiresAt: new Date(token.expires_at * SECOND),
        lastUsedAt: token.last_used_at === null ? null : new Date(token.last_used_at * SECOND),
      })),
    })
  }
}
