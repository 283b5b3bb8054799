import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'

import { answer, answerGone, askRoles, homeOf } from '#workspaces/controllers/workspaces_controller'
import { asId } from '#database/key'
import { askingIn, nameOf, peopleOf, recordInWorkspace } from '#workspaces/asking'
import { Background } from '#process/background'
import { nullFor } from '#process/null_for'
import { WorkspaceNotFound } from '#workspaces/errors'
import { roleValidator } from '#workspaces/validators'
import { findMember } from '#workspaces/memberships'

export default class WorkspaceMembersController {
  async update(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx, 'members:manage')
    const { id, slug } = ctx.workspace
    const before = await findMember(db.connection(), id, asId(ctx.params.id))
    const { role } = await ctx.request.validateUsing(roleValidator, {
      meta: { roles: await askRoles(ctx, workspaces, before.role) },
    })
    const member = await workspaces.changeRole(id, before.id, role, owner)
    if (member) {
      await recordInWorkspace(ctx, user, id, 'role_changed', { name: await nameOf(member), role })
    }
    return answer(ctx, 'role_changed', homeOf({ slug }))
  }

  /** Removes a member, with all that they hold for this workspace. */
  async destroy(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx, 'members:manage')
    const { id, slug, name: workspace } = ctx.workspace
    const found = findMember(db.connection(), id, asId(ctx.params.id))
    const member = await found.catch(nullFor(WorkspaceNotFound))
    await askRoles(ctx, workspaces, member?.role)
    /* Or the other one of two clicks at once has removed them. */
    if (!member || !(await workspaces.remove(id, member, owner))) {
      return answerGone(ctx, new WorkspaceNotFound(), homeOf({ slug }))
    }
    const people = await peopleOf([member])
    const person = people.get(member)
    await recordInWorkspace(ctx, user, id, 'member_removed', { name: person?.email ?? '' })
    if (person) {
      const background = await app.container.make(Background)
      const tell = async () => workspaces.config.removed({ user: person, workspace })
      background.afterReply(ctx.response, 'tell a person of their removal', tell)
    }
    return answer(ctx, 'removed', homeOf({ slug }))
  }
}
