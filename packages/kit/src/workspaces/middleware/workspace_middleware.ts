import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { goOn, isReading, pathTo, wantsPage } from '#http/pages'
import { resolveOptional, resolveWorkspace } from '#workspaces/current_workspace'
import { WorkspaceNotFound } from '#workspaces/errors'
import { findOwn } from '#workspaces/memberships'
import { callerOf } from '#workspaces/workspaces'

/** Gives `ctx.workspace`, after who authenticates. A route may name it as `:slug`; another one than the current is not there. */
export default class WorkspaceMiddleware {
  /** @param options.optional lets callers in who are in no workspace; what belongs to one refuses them */
  async handle(ctx: HttpContext, next: NextFn, options: { optional?: boolean } = {}) {
    if (options.optional && !ctx.authenticator.context?.user) {
      await resolveOptional(ctx)
      return next()
    }
    const workspace = await resolveWorkspace(ctx)
    if (ctx.params.slug === undefined || ctx.params.slug === workspace.slug) {
      return next()
    }
    /* A form of a page from before, e.g. the second click on "Leave"; or a page of a team that was chosen before the last sign-in. */
    if (ctx.session && wantsPage(ctx) && (!isReading(ctx) || (await isTheirs(ctx)))) {
      return goOn(ctx, 'error', { path: pathTo('workspaces.index'), words: 'workspaces.elsewhere' })
    }
    throw new WorkspaceNotFound()
  }
}

/** Whether the person is a member of the workspace that the address names. */
async function isTheirs(ctx: HttpContext): Promise<boolean> {
  const isUser = Boolean(ctx.authenticator.context?.user)
  const own = isUser ? await findOwn(callerOf(ctx), 'AND w.deleted_at IS NULL') : []
  return own.some(({ slug }) => slug === ctx.params.slug)
}
