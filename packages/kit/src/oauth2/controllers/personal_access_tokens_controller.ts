import type { HttpContext } from '@adonisjs/core/http'

import { recordSecurityEvent } from '#auth/security_events'
import { neverCached } from '#oauth2/pages'
import { ServerController } from '#oauth2/authorization_server'
import { createToken, revokeToken, signedIn } from '#oauth2/token_owners'
import { personalAccessTokenValidator } from '#oauth2/validators'

/** The personal access tokens of the signed-in user, through the default guard. */
export default class PersonalAccessTokensController extends ServerController {
  async index(ctx: HttpContext) {
    const { user } = await signedIn(ctx)
    const tokens = await this.server.personalAccessTokens.list(user)
    const listed = tokens.map(({ last_used_at: _lastUsedAt, context_name: name, ...token }) =>
      name === null ? token : { ...token, context_name: name }
    )
    return ctx.response.ok(listed)
  }

  async store(ctx: HttpContext) {
    await signedIn(ctx)
    await this.server.manager.feature('confirmations')?.requireOfSession(ctx)
    const options = await ctx.request.validateUsing(personalAccessTokenValidator)
    return neverCached(ctx).created(await createToken(ctx, this.server, options))
  }

  async destroy(ctx: HttpContext) {
    await revokeToken(ctx, this.server)
    return ctx.response.noContent()
  }

  async destroyAll(ctx: HttpContext) {
    const { user, context } = await signedIn(ctx)
    const count = await this.server.personalAccessTokens.revokeAll(user)
    if (count) {
      await recordSecurityEvent(ctx, context.user, 'tokens_revoked', { count })
    }
    return ctx.response.noContent()
  }
}
