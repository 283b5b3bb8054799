import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { answer, rolesFor } from '#workspaces/controllers/workspaces_controller'
import { asId } from '#database/key'
import {
  type Asking,
  askingIn,
  authorize,
  nameOf,
  peopleOf,
  recordInWorkspace,
} from '#workspaces/asking'
import { Background } from '#process/background'
import { roleValidator } from '#workspaces/validators'
import { WorkspaceNotFound } from '#workspaces/errors'

/** The members of the workspace that a person works in. */
export default class WorkspaceMembersController {
  /** Gives a member another role. */
  async update(ctx: HttpContext) {
    const { user, workspaces } = await askingIn(ctx)
    authorize(ctx, 'members:manage')
    const { role } = await ctx.request.validateUsing(roleValidator, {
      meta: { roles: rolesFor(ctx, workspaces) },
    })
    const { id, slug } = ctx.workspace
    const member = await findManaged(ctx, workspaces)
    await workspaces.changeRole(id, member.id, role)
    await recordInWorkspace(ctx, user, id, 'role_changed', { name: await nameOf(member), role })
    return answer(ctx, 'role_changed', `/w/${slug}`)
  }

  /** Removes a member, with all that they hold for this workspace. */
  async destroy(ctx: HttpContext) {
    const { user, workspaces } = await askingIn(ctx)
    authorize(ctx, 'members:manage')
    const { id, slug, name: workspace } = ctx.workspace
    const { userId, provider } = await findManaged(ctx, workspaces)
    await workspaces.remove(id, { userId, provider })
    const people = await peopleOf([{ userId }])
    const person = people.get(userId)
    await recordInWorkspace(ctx, user, id, 'member_removed', { name: person?.email ?? '' })
    if (person) {
      const background = await app.container.make(Background)
      background.afterReply(ctx.response, 'tell a person of their removal', async () => {
        await workspaces.config.removed({ user: person, workspace })
      })
    }
    return answer(ctx, 'removed', `/w/${slug}`)
  }
}

/** The member of the address, whose role the person may take. @throws {WorkspaceNotFound} */
async function findManaged(ctx: HttpContext, workspaces: Asking['workspaces']) {
  const id = asId(ctx.params.id)
  const members = await workspaces.members(ctx.workspace.id)
  const member = members.find((one) => one.id === id)
  if (!member || !workspaces.mayManage(ctx.workspace.role, member.role)) {
    throw new WorkspaceNotFound('There is no such member, or you may not manage them.')
  }
  return member
}
