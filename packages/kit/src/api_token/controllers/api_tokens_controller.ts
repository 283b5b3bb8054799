import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import manager from '#auth/service'
import { ApiToken } from '#api_token/facade'
import type { ApiTokenDetails } from '#api_token/token'
import { currentUser } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import { toSeconds } from '#database/records'
import { answerEnded, pathTo, shownOnce, showOnce, wantsPage } from '#http/pages'
import { apiTokenValidator } from '#api_token/validators'

const PAGE = 'account.tokens'

/** config/scopes.ts */
const catalogue = () => app.config.get<Record<string, string>>('scopes')

/** The API tokens of the signed-in person: a page, and JSON under /api/tokens. */
export default class ApiTokensController {
  async index(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const tokens = await ApiToken.tokens(user)
    if (wantsPage(ctx)) {
      const shown = { tokens, catalogue: catalogue(), plainText: shownOnce(ctx, 'api_token') }
      return ctx.view.render('pages/account/tokens', shown)
    }
    const described = tokens.map((one) => ({ ...describe(one), context_name: one.contextName }))
    return ctx.response.ok({ tokens: described })
  }

  /** Creates a token. Its plain text is shown once: in this answer, or on the page that follows. */
  async store(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { name, abilities, ttl } = await ctx.request.validateUsing(apiTokenValidator, {
      meta: { abilities: Object.keys(catalogue()) },
    })
    const expiresAt = ttl ? new Date(Date.now() + ttl * 1000) : undefined
    const context = await manager.feature('credentialContexts')?.current(ctx)
    const created = await ApiToken.create(user, { name, abilities, expiresAt, context })
    await ctx.authenticator.settle(() => ApiToken.revoke(created.details.id))
    await recordSecurityEvent(ctx, user, 'token_created', { name })

    if (wantsPage(ctx)) {
      showOnce(ctx, 'api_token', created.plainText)
      return ctx.response.redirect().toPath(pathTo(PAGE))
    }
    return ctx.response.created({ token: created.plainText, ...describe(created.details) })
  }

  /** Revokes a token of this person; for every other id there is no such token. */
  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const tokens = await ApiToken.tokens(user)
    const owned = tokens.find(({ id }) => id === ctx.params.id)
    const isRevoked = owned !== undefined && (await ApiToken.revoke(owned.id))
    if (isRevoked) {
      await recordSecurityEvent(ctx, user, 'token_revoked', { name: owned.name ?? '' })
    }
    const next = { path: pathTo(PAGE), words: 'pages.account.tokens.revoked' }
    return answerEnded(ctx, isRevoked, 'Token not found', next)
  }
}

/** A token as programs see it. Times are epoch seconds. */
function describe({ id, name, abilities, createdAt, lastUsedAt, expiresAt }: ApiTokenDetails) {
  return {
    id,
    name,
    abilities,
    created_at: toSeconds(createdAt.getTime()),
    last_used_at: lastUsedAt && toSeconds(lastUsedAt.getTime()),
    expires_at: expiresAt && toSeconds(expiresAt.getTime()),
  }
}
