import { Bouncer } from '@adonisjs/bouncer'
import { Exception } from '@adonisjs/core/exceptions'
import { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { currentUser } from 'adonis-auth-kit/auth/protection'
import { type SecurityEvents, recordSecurityEvent } from 'adonis-auth-kit/auth/security_events'
import User from '#models/user'
import WorkspacePolicy from '#policies/workspace_policy'
import {
  type CurrentWorkspace,
  resolveWorkspace,
} from 'adonis-auth-kit/workspaces/current_workspace'
import { ownerOf } from 'adonis-auth-kit/workspaces/memberships'
import type { Workspaces } from 'adonis-auth-kit/workspaces/workspaces'

/** Who asks, and in which workspace. */
export interface Asking {
  user: User
  owner: { userId: string; provider: string }
  workspaces: Workspaces
}

export async function askingIn(ctx: HttpContext): Promise<Asking> {
  const user = await currentUser(ctx)
  const manager = await app.container.make('auth_manager')
  const { users } = ctx.auth.use(ctx.auth.defaultGuard)
  return { user, owner: ownerOf(user, users), workspaces: manager.feature('workspaces')! }
}

/** @throws {Exception} 403 unless the person may do this in the current workspace */
export async function authorize(
  ctx: HttpContext,
  user: User,
  action: Exclude<keyof WorkspacePolicy, keyof Bouncer<User>>
): Promise<void> {
  const policy = new Bouncer(user).with(WorkspacePolicy)
  if (!(await policy.allows(action as 'update', ctx.workspace))) {
    /* Bouncer's own error would send a program without `Accept` back to a page. */
    throw new Exception('Your role does not allow this.', { status: 403, code: 'E_ROLE' })
  }
}

/** The workspace of the current request; null outside of one. */
export async function resolveCurrent(): Promise<CurrentWorkspace | null> {
  const ctx = HttpContext.get()
  return ctx && resolveWorkspace(ctx)
}

/** The people behind memberships, by their ids as text. */
export async function peopleOf(members: readonly { userId: string }[]): Promise<Map<string, User>> {
  const people = await User.query().whereIn(
    'id',
    members.map(({ userId }) => userId)
  )
  return new Map(people.map((person) => [String(person.id), person]))
}

/** The name by which the log knows the person of a membership. */
export async function nameOf(member: { userId: string }): Promise<string> {
  const people = await peopleOf([member])
  return people.get(member.userId)?.email ?? ''
}

/** Notes what has happened in a workspace: those who may read its log see it, and the person in their own. */
export async function recordInWorkspace<
  Type extends Extract<
    keyof SecurityEvents,
    `workspace_${string}` | `member_${string}` | `invitation_${string}` | 'role_changed'
  >,
>(
  ctx: HttpContext,
  user: User,
  workspaceId: number,
  type: Type,
  details: SecurityEvents[Type]
): Promise<void> {
  await recordSecurityEvent(ctx, user, type, details, undefined, `workspace:${workspaceId}`)
}
