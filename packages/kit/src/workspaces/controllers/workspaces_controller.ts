import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import type { UserOf } from '#auth/guard_types'
import { type Owner, isOwnedBy } from '#auth/users'
import { asId } from '#database/key'
import { askingIn, authorize, nameOf, peopleOf, recordInWorkspace } from '#workspaces/asking'
import { toSeconds } from '#database/records'
import { answerDone, answerRefused, pathTo, wantsPage } from '#http/pages'
import { nullFor } from '#process/null_for'
import { choiceValidator, transferValidator, workspaceValidator } from '#workspaces/validators'
import { resolveWorkspace } from '#workspaces/current_workspace'
import { COMMON_ID, OWNER } from '#workspaces/define_config'
import { WorkspaceNotFound } from '#workspaces/errors'
import type { Memberships, OwnWorkspace } from '#workspaces/memberships'
import type { WorkspaceInvitation, WorkspaceMembership } from '#workspaces/models'

const SHOWN = 100

/** The workspaces of a person, and the settings of the one that they work in: pages, and JSON. */
export default class WorkspacesController {
  async index(ctx: HttpContext) {
    const { workspaces, owner } = await askingIn(ctx)
    const current = await resolveWorkspace(ctx)
    const isCommon = current.id === COMMON_ID
    const all = await workspaces.list(owner)
    /* A deleted workspace is shown to those who can restore it. */
    const list = all.filter(({ deletedAt, role }) => deletedAt === null || role === OWNER)
    return wantsPage(ctx)
      ? ctx.view.render('pages/workspaces/index', { list, current, isCommon })
      : ctx.response.ok({ workspaces: list.map((own) => describe(own, current.id)) })
  }

  async store(ctx: HttpContext) {
    const { workspaces, owner, user } = await askingIn(ctx)
    const { name } = await ctx.request.validateUsing(workspaceValidator)
    await manager.feature('throttle')?.penalize('workspaces', owner.userId, ctx)
    const workspace = await workspaces.create(owner, name)
    await workspaces.assertStays(owner)
    await workspaces.choose(ctx, owner, workspace.id)
    await recordInWorkspace(ctx, user, workspace.id, 'workspace_created', { name })
    const { id, slug } = workspace
    return wantsPage(ctx)
      ? ctx.response.redirect().toPath(homeOf({ slug }))
      : ctx.response.created({ id, slug, name })
  }

  async switch(ctx: HttpContext) {
    const { workspaces, owner } = await askingIn(ctx)
    const { workspace_id: id } = await ctx.request.validateUsing(choiceValidator)
    await workspaces.choose(ctx, owner, id ?? null)
    const { slug } = await resolveWorkspace(ctx)
    return wantsPage(ctx)
      ? ctx.response.redirect().toPath(pathTo('workspaces.index'))
      : ctx.response.ok({ current: slug })
  }

  /** The current workspace: its members and invitations, and what the person may change. */
  async show(ctx: HttpContext) {
    const { workspaces, owner } = await askingIn(ctx)
    const { id, slug, name, role, isPersonal } = ctx.workspace
    const members = await workspaces.members(id)
    const people = await peopleOf(members)
    const may = Object.fromEntries(
      ABILITIES.map((ability) => [ability.replace(':', '_'), ctx.workspace.can(ability)])
    )
    const invitations = may.invitations_manage ? await workspaces.invitations.list(id) : []
    const described = members.map((member) => describeMember(member, people, owner))
    if (!wantsPage(ctx)) {
      return ctx.response.ok({
        workspace: { id, slug, name, role, personal: isPersonal },
        members: described,
        invitations: invitations.map(describeInvitation),
      })
    }
    const idle = await workspaces.idleAmong(members, people)
    return ctx.view.render('pages/workspaces/show', {
      workspace: ctx.workspace,
      members: described.map((member) => ({
        ...member,
        isManaged: may.members_manage && workspaces.mayManage(role, member.role),
        isIdle: idle.has(member.id),
      })),
      invitations: invitations.map((one) => ({
        ...one.serialize(),
        expires: new Date(one.expiresAt),
      })),
      may,
      hasProviders: Boolean(manager.feature('social')?.organisations),
      roles: rolesFor(ctx, workspaces),
      roleWords: (one: string) => ctx.i18n.t(`workspaces.roles.${one}`, {}, one),
    })
  }

  async update(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx, 'workspace:update')
    const { name } = await ctx.request.validateUsing(workspaceValidator)
    if (await workspaces.rename(ctx.workspace.id, name, owner)) {
      await recordInWorkspace(ctx, user, ctx.workspace.id, 'workspace_renamed', { name })
    }
    return answer(ctx, 'renamed', homeOf(ctx.workspace))
  }

  async log(ctx: HttpContext) {
    authorize(ctx, 'log:read')
    const about = `workspace:${ctx.workspace.id}`
    const events = (await manager.feature('securityLog')?.about?.(about, SHOWN)) ?? []
    const people = await peopleOf(events)
    const described = events.map((event) => {
      const { type, details, createdAt } = event
      return { type, details, by: people.get(event)?.email ?? null, createdAt }
    })
    return wantsPage(ctx)
      ? ctx.view.render('pages/workspaces/log', { workspace: ctx.workspace, events: described })
      : ctx.response.ok({
          events: described.map(({ createdAt, ...event }) => ({
            ...event,
            created_at: toSeconds(createdAt),
          })),
        })
  }

  async leave(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx)
    if (!(await workspaces.remove(ctx.workspace.id, owner))) {
      return answerGone(ctx, new WorkspaceNotFound(), pathTo('workspaces.index'))
    }
    await recordInWorkspace(ctx, user, ctx.workspace.id, 'member_left', {})
    await workspaces.choose(ctx, owner, null)
    return answer(ctx, 'left', pathTo('workspaces.index'))
  }

  /** Makes another member the owner; the person stays with the next lower role. */
  async transfer(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx, 'workspace:transfer')
    const { member } = await ctx.request.validateUsing(transferValidator)
    const { id, slug } = ctx.workspace
    const heir = await workspaces.transfer(id, owner, member, workspaces.nextRole)
    await recordInWorkspace(ctx, user, id, 'workspace_transferred', { name: await nameOf(heir) })
    return answer(ctx, 'transferred', homeOf({ slug }))
  }

  async destroy(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx, 'workspace:delete')
    const deleted = workspaces.delete(ctx.workspace.id, owner).then(() => true)
    if (!(await deleted.catch(nullFor(WorkspaceNotFound)))) {
      return answerGone(ctx, new WorkspaceNotFound(), pathTo('workspaces.index'))
    }
    await recordInWorkspace(ctx, user, ctx.workspace.id, 'workspace_deleted', {})
    await workspaces.choose(ctx, owner, null)
    return answer(ctx, 'deleted', pathTo('workspaces.index'))
  }

  async restore(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx)
    const id = asId(ctx.params.id)
    await workspaces.restore(owner, id)
    await recordInWorkspace(ctx, user, id, 'workspace_restored', {})
    return answer(ctx, 'restored', pathTo('workspaces.index'))
  }
}

const ABILITIES = [
  'workspace:update',
  'providers:manage',
  'members:manage',
  'invitations:manage',
  'log:read',
  'workspace:transfer',
  'workspace:delete',
]

export function rolesFor(ctx: HttpContext, workspaces: Memberships): string[] {
  const roles = Object.keys(workspaces.config.roles)
  return roles.filter((role) => workspaces.mayManage(ctx.workspace.role, role))
}

/** The same for a form, by which a member may lose the role `taken`. @throws {ConfirmationRequired} for that of an owner: it is given and taken as by a transfer */
export async function askRoles(ctx: HttpContext, workspaces: Memberships, taken?: string) {
  const isOfOwner = [ctx.request.input('role'), taken].includes(OWNER)
  await (isOfOwner && manager.feature('confirmations')?.requireOfSession(ctx))
  return rolesFor(ctx, workspaces)
}

export const homeOf = ({ slug }: { slug: string }) => pathTo('workspace.workspaces.show', [slug])

/** A page goes on with a message, a program gets 204. */
export function answer(ctx: HttpContext, words: string, path: string) {
  return answerDone(ctx, null, { path, words: `workspaces.done.${words}` })
}

/** What a form was about is gone, e.g. by the first of two clicks: a page goes on without a message. @throws the error, to a program */
export function answerGone(ctx: HttpContext, error: Error, path: string) {
  return answerRefused(ctx, error, { path })
}

/** A workspace as programs see it. Times are epoch seconds. */
function describe(own: OwnWorkspace, current: number) {
  const { id, slug, name, role, isPersonal: personal, deletedAt } = own
  const deleted = deletedAt && toSeconds(deletedAt)
  return { id, slug, name, role, personal, current: id === current, deleted_at: deleted }
}

/** A member as programs see it, for the person who asks. */
function describeMember(member: WorkspaceMembership, people: Map<Owner, UserOf>, asks: Owner) {
  const person = people.get(member)
  const [name, email] = [person?.fullName ?? null, person?.email ?? null]
  return { id: member.id, name, email, role: member.role, is_you: isOwnedBy(member, asks) }
}

function describeInvitation({ id, email, role, expiresAt }: WorkspaceInvitation) {
  return { id, email, role, expires_at: toSeconds(expiresAt) }
}
