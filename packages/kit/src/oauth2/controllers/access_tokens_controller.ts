import type { HttpContext } from '@adonisjs/core/http'

import { ServerController } from '#oauth2/authorization_server'
import { createToken, revokeToken, signedIn } from '#oauth2/token_owners'
import { accessTokenValidator } from '#oauth2/validators'
import { goOn, pathTo, shownOnce, showOnce, wantsPage } from '#http/pages'

const HOME = 'account.access_tokens.access_tokens.index'

const toDate = (seconds: number) => new Date(seconds * 1000)

/** A person's personal access tokens. Programs make and revoke them at /oauth/personal-access-tokens. */
export default class AccessTokensController extends ServerController {
  async index(ctx: HttpContext) {
    const { user } = await signedIn(ctx)
    const tokens = await this.server.personalAccessTokens.list(user)
    if (!wantsPage(ctx)) {
      return tokens
    }
    const dated = tokens.map((token) => ({
      ...token,
      createdAt: toDate(token.created_at),
      expiresAt: toDate(token.expires_at),
      lastUsedAt: token.last_used_at === null ? null : toDate(token.last_used_at),
    }))
    const plainText = shownOnce(ctx, 'access_token')
    const page = { plainText, catalogue: this.server.config.scopes, tokens: dated }
    return ctx.view.render('pages/account/access_tokens', page)
  }

  async store(ctx: HttpContext) {
    await signedIn(ctx)
    const options = await ctx.request.validateUsing(accessTokenValidator, {
      meta: { scopes: Object.keys(this.server.config.scopes) },
    })
    const created = await createToken(ctx, this.server, options)
    showOnce(ctx, 'access_token', created.access_token)
    return ctx.response.redirect().toPath(pathTo(HOME))
  }

  async destroy(ctx: HttpContext) {
    await revokeToken(ctx, this.server)
    return goOn(ctx, 'success', { path: pathTo(HOME), words: 'pages.account.tokens.revoked' })
  }
}
