import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { authContext } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { currentUserKey } from '#oauth2/current_user'
import { personalAccessTokenValidator } from '#oauth2/validators/personal_access_token'

/** The personal access tokens of the signed-in user, through the default guard. */
@inject()
export default class PersonalAccessTokensController {
  constructor(protected server: AuthorizationServer) {}

  async index(ctx: HttpContext) {
    const user = await currentUserKey(ctx)
    ctx.response.header('Cache-Control', 'no-store')
    const tokens = await this.server.personalAccessTokens.list(user)
    return ctx.response.ok(
      tokens.map(({ last_used_at: _lastUsedAt, context_name: name, ...token }) =>
        name === null ? token : { ...token, context_name: name }
      )
    )
  }

  async store(ctx: HttpContext) {
    const user = await currentUserKey(ctx)
    const manager = await app.container.make('auth_manager')
    await manager.feature('confirmations')?.requireOfSession(ctx)
    const options = await ctx.request.validateUsing(personalAccessTokenValidator)
    const caller = await authContext(ctx)
    const context = await manager.feature('credentialContexts')?.current(ctx)
    const created = await this.server.personalAccessTokens.create(user, caller, {
      ...options,
      context,
    })
    await recordSecurityEvent(ctx, caller.user, 'token_created', { name: created.name })
    ctx.response.header('Cache-Control', 'no-store').header('Pragma', 'no-cache')
    return ctx.response.created(created)
  }

  async destroy(ctx: HttpContext) {
    const { user } = await authContext(ctx)
    const key = await currentUserKey(ctx)
    const name = await this.server.personalAccessTokens.revoke(key, ctx.params.jti)
    if (name !== null) {
      await recordSecurityEvent(ctx, user, 'token_revoked', { name })
    }
    return ctx.response.noContent()
  }

  async destroyAll(ctx: HttpContext) {
    const { user } = await authContext(ctx)
    const count = await this.server.personalAccessTokens.revokeAll(await currentUserKey(ctx))
    if (count) {
      await recordSecurityEvent(ctx, user, 'tokens_revoked', { count })
    }
    return ctx.response.noContent()
  }
}
