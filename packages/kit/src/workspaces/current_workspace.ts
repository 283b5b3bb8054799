import { AsyncLocalStorage } from 'node:async_hooks'

import { RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { AuthFeatures } from '#auth/features'
import { assertRuntime } from '#config/checks'
import { currentContext } from '#http/current_request'
import { COMMON_ID } from '#workspaces/define_config'

export interface CurrentWorkspace {
  readonly id: number
  readonly slug: string
  readonly name: string
  /** null for a visitor of the common workspace. */
  readonly role: string | null
  /** A workspace of one person, or the common one: it has no members to manage. */
  readonly isPersonal: boolean
  /** Whether the caller's role has an ability. Policies ask it. */
  can(ability: string): boolean
}

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** Of the session, API token or OAuth grant. @throws {RuntimeException} where `middleware.workspace()` did not run */
    workspace: CurrentWorkspace
  }
}

const WORKSPACE = Symbol('workspace')
const REFUSAL = Symbol('why the caller is in no workspace')
const HELD_IN = Symbol('the transaction in which the caller stays a member')
type WithWorkspace = HttpContext & {
  [WORKSPACE]?: CurrentWorkspace
  [REFUSAL]?: Error
  [HELD_IN]?: QueryClientContract
}

const runs = new AsyncLocalStorage<{ id: number }>()

/** What the provider registers, for models that commands load without providers. */
export const registered: { workspaces?: AuthFeatures['workspaces'] } = {}

/** Runs work of a job or a command in a workspace. A query that is returned is run there, too. */
export function runInWorkspace<Result>(id: number, work: () => Result | PromiseLike<Result>) {
  return runs.run({ id }, async () => work())
}

/**
 * The workspace of a request, found when it is first asked for.
 * @throws {WorkspaceNotFound}
 * @throws {RuntimeException} without the provider
 */
export async function resolveWorkspace(ctx: WithWorkspace): Promise<CurrentWorkspace> {
  const missing =
    'There are no workspaces: list workspaces_provider in adonisrc.ts, or take middleware.workspace() and BelongsToWorkspace out'
  assertRuntime(registered.workspaces, missing)
  return (ctx[WORKSPACE] ??= await registered.workspaces.resolve(ctx))
}

/** The same where callers may be in none: `ctx.workspace` refuses them when it is asked, as a query does. */
export async function resolveOptional(ctx: WithWorkspace): Promise<void> {
  await resolveWorkspace(ctx).catch((error) => void (ctx[REFUSAL] = error))
}

/** Finds the workspace of a request anew, after the caller has chosen another one. */
export function forgetWorkspace(ctx: WithWorkspace): void {
  delete ctx[WORKSPACE]
}

export function workspaceOf(ctx: WithWorkspace): CurrentWorkspace {
  const { [WORKSPACE]: workspace, [REFUSAL]: refusal } = ctx
  if (!workspace) {
    throw refusal ?? new RuntimeException('ctx.workspace: add middleware.workspace() to this route')
  }
  return workspace
}

/** Makes the workspace of this request known to what asks for it without waiting. */
export async function readyWorkspace(): Promise<void> {
  if (!runs.getStore()) {
    await resolveCurrent()
  }
}

/**
 * Asked before each write: a request may be slow, and its caller may be removed meanwhile. In a transaction nobody removes
 * them before it ends.
 * @throws {WorkspaceNotFound | RoleRefused} when the caller is not in the workspace any more, or may do less
 */
export async function holdWorkspace(client: QueryClientContract): Promise<void> {
  await readyWorkspace()
  const ctx = currentContext() as WithWorkspace | null
  const workspace = runs.getStore() ? undefined : ctx?.[WORKSPACE]
  if (!ctx || !workspace || workspace.isPersonal || ctx[HELD_IN] === client) {
    return
  }
  ctx[WORKSPACE] = await registered.workspaces!.hold(ctx, workspace, client)
  if (client.isTransaction) {
    ctx[HELD_IN] = client
  }
}

/** The id of the workspace that this code runs in. @throws {RuntimeException} when it runs in none */
export function currentWorkspaceId(model: string): number {
  const ctx = currentContext() as WithWorkspace | null
  const outside = registered.workspaces?.config.common ? COMMON_ID : undefined
  const id = runs.getStore()?.id ?? (ctx ? ctx[WORKSPACE]?.id : outside)
  const nowhere = `${model} belongs to a workspace, and there is none here: add middleware.workspace() to the route, use runInWorkspace(), or ${model}.acrossWorkspaces()`
  assertRuntime(id !== undefined, nowhere)
  return id
}

export async function resolveCurrent(): Promise<CurrentWorkspace | null> {
  const ctx = currentContext()
  return ctx && resolveWorkspace(ctx)
}
