import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { pathTo } from '#http/path_to'
import { wantsPage } from '#http/wants_page'
import { resolveWorkspace } from '#workspaces/current_workspace'
import { WorkspaceNotFound } from '#workspaces/errors'

/** Gives `ctx.workspace`, after who authenticates. A route may name it as `:slug`; another one than the current is not there. */
export default class WorkspaceMiddleware {
  /** @param options.optional lets callers in who are in no workspace; what belongs to one refuses them */
  async handle(ctx: HttpContext, next: NextFn, options: { optional?: boolean } = {}) {
    if (options.optional && !ctx.authenticator.context?.user) {
      return next()
    }
    const workspace = await resolveWorkspace(ctx)
    if (ctx.params.slug === undefined || ctx.params.slug === workspace.slug) {
      return next()
    }
    /* A form of a page from before, e.g. the second click on "Leave". */
    if (ctx.session && wantsPage(ctx) && ctx.request.method() !== 'GET') {
      ctx.session.flash('error', ctx.i18n.t('workspaces.elsewhere'))
      return ctx.response.redirect().toPath(pathTo('workspaces.index'))
    }
    throw new WorkspaceNotFound()
  }
}
