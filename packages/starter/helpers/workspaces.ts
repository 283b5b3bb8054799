import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'

import type User from '#models/user'
import Post from '#models/post'
import { Visitor, signedIn } from '#starter/helpers/visitor'
import { runInWorkspace } from '#kit/workspaces/current_workspace'
import type { WorkspacesConfig } from '#kit/workspaces/define_config'
import { ownerOf } from '#kit/workspaces/memberships'
import type { Workspaces } from '#kit/workspaces/workspaces'

/** The feature of this process. */
export async function workspacesOf(): Promise<Workspaces> {
  const manager = await app.container.make('auth_manager')
  return manager.feature('workspaces')!
}

/** Runs with other settings; the function that comes back restores them. For `group.each.setup`. */
export async function useWorkspaces(settings: WorkspacesConfig): Promise<() => void> {
  const { config } = await workspacesOf()
  const before = { ...config }
  Object.assign(config, settings)
  return () => void Object.assign(config, before)
}

export async function keyOf(user: User) {
  const manager = await app.container.make('auth_manager')
  return ownerOf(user, manager.usersOf())
}

/** A workspace with an owner, and members with their roles. */
export async function team(owner: User, members: Record<string, User> = {}, name = 'Team') {
  const workspaces = await workspacesOf()
  const workspace = await workspaces.create(await keyOf(owner), name)
  for (const [role, user] of Object.entries(members)) {
    await workspaces.join(db.connection(), workspace.id, await keyOf(user), role)
  }
  return workspace
}

/** Chooses the workspace of a browser's session. */
export async function work(visitor: Visitor, workspaceId: number | null): Promise<number> {
  const json = { workspace_id: workspaceId }
  const response = await visitor.send('/workspaces/switch', json)
  return response.status
}

/** A post in a workspace. */
export function postIn(workspaceId: number, user: User, title = 'A post'): Promise<Post> {
  return runInWorkspace(workspaceId, () => Post.create({ userId: user.id, title, body: 'text' }))
}

/** A person with a workspace of their own. */
export async function settler() {
  const { user, visitor } = await signedIn()
  const workspaces = await workspacesOf()
  const owner = await keyOf(user)
  await workspaces.ensurePersonal(owner)
  const [own] = await workspaces.list(owner)
  return { user, visitor, owner, workspaces, own: own! }
}

/** The titles of the posts that a caller sees, or the status without them. */
export async function titlesSeenBy(visitor: Visitor, headers: Record<string, string> = {}) {
  const accept = 'application/vnd.api+json'
  const response = await visitor.get('/api/posts', { headers: { accept, ...headers } })
  const { data } = (await response.json()) as any
  return response.status === 200 ? data.map((post: any) => post.attributes.title) : response.status
}

/** The same for a bearer token. */
export function titlesSeenWith(token: string) {
  return titlesSeenBy(new Visitor(), { authorization: `Bearer ${token}` })
}
