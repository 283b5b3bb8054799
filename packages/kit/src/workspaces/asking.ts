import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import type { UserOf } from '#auth/guard_types'
import { currentUser } from '#auth/protection'
import { type SecurityEvents, recordSecurityEvent } from '#auth/security_events'
import type { Owner, Users } from '#auth/users'
import { RoleRefused } from '#workspaces/errors'
import { assertOr } from '#process/assert_or'
import type { Workspaces } from '#workspaces/workspaces'

/** Who asks, and in which workspace. */
export type Asking = { user: UserOf; owner: Owner; users: Users<UserOf>; workspaces: Workspaces }

/**
 * @param ability that the person's role needs in the current workspace
 * @throws {RoleRefused} when it does not have it
 */
export async function askingIn(ctx: HttpContext, ability?: string): Promise<Asking> {
  const user = await currentUser(ctx)
  if (ability !== undefined) {
    authorize(ctx, ability)
  }
  const manager = await app.container.make('auth_manager')
  const { users } = ctx.auth.use(ctx.auth.defaultGuard)
  return { user, owner: users.ownerOf(user), users, workspaces: manager.feature('workspaces')! }
}

/** @throws {RoleRefused} unless the person's role has the ability in the current workspace: see config/workspaces.ts */
export function authorize({ workspace }: HttpContext, ability: string): void {
  assertOr(workspace.can(ability), RoleRefused)
}

/** The people behind memberships or events; equal ids of two user providers are different people. */
export async function peopleOf<Member extends Owner>(members: readonly Member[]) {
  const manager = await app.container.make('auth_manager')
  const people = new Map<Member, UserOf>()
  for (const [provider, own] of Map.groupBy(members, (member) => member.provider)) {
    const ids = own.map(({ userId }) => userId)
    const found = manager.hasUsers(provider) ? await manager.users(provider).findAll(ids) : null
    for (const member of own.filter(({ userId }) => found?.has(userId))) {
      people.set(member, found!.get(member.userId))
    }
  }
  return people
}

/** The name by which the log knows the person of a membership. */
export async function nameOf(member: Owner): Promise<string> {
  const people = await peopleOf([member])
  return people.get(member)?.email ?? ''
}

/** Notes what has happened in a workspace: those who may read its log see it, and the person in their own. */
export async function recordInWorkspace<
  Type extends Extract<
    keyof SecurityEvents,
    `workspace_${string}` | `member_${string}` | `invitation_${string}` | 'role_changed'
  >,
>(ctx: HttpContext, user: UserOf, workspaceId: number, type: Type, details: SecurityEvents[Type]) {
  const { users } = ctx.auth.use(ctx.auth.defaultGuard)
  await recordSecurityEvent(ctx, user, type, details, users, `workspace:${workspaceId}`)
}
