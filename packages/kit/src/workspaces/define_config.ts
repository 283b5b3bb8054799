import type { LucidModel } from '@adonisjs/lucid/types/model'

import { assertArgument, markResolved, withDefaults } from '#config/checks'

/** What a workspace's roles may do, by name. `*` stands for everything. Add abilities of your own. */
export type Abilities = readonly string[]

/** The settings of `config/workspaces.ts`. */
export interface WorkspacesConfig {
  /**
   * Whether whoever works in no workspace of a team works in one that is common to
   * all, instead of one of their own. Visitors read it. Default false.
   */
  common?: boolean
  /** Roles with their abilities. `owner` has every ability. */
  roles?: Record<string, Abilities>
  /** The role of a member of the common workspace. Default `member`. */
  commonRole?: string
  /** Days that an invitation works. Default 7. */
  invitationDays?: number
  /** Days in which a deleted workspace can be restored. Default 30. */
  restoreDays?: number
  /** Name of the claim with which introspection and ID tokens tell the workspace; null for none. Default null. */
  claim?: string | null
  /** Models with the mixin `BelongsToWorkspace`, those that others refer to last: the rows of a workspace go with it. */
  models?: WorkspaceModel[]
  /** Delivers an invitation. */
  invite?(invitation: InvitationToSend): Promise<void> | void
  /** Tells a person that they were removed. */
  removed?(removal: { user: any; workspace: string }): Promise<void> | void
}

export interface WorkspaceModel {
  load(): Promise<{ default: LucidModel }>
  /** Column with the user whose rows they are: `workspaces:adopt` goes by it. Default `user_id`. */
  owner?: string
  /** Instead of an owner: the column that leads to a row of another table, whose workspace is theirs. */
  partOf?: { table: string; key: string }
}

export type InvitationToSend = { email: string; token: string; workspace: string; days: number }

export type ResolvedWorkspacesConfig = Required<WorkspacesConfig>

/** In the column `workspace_id`: the common workspace, which has no row of its own. */
export const COMMON_ID = 0

/** The role that a workspace is never without. */
export const OWNER = 'owner'

/** @throws {InvalidArgumentsException} for an unknown setting or role, and for a number of days that is not above 0 */
export function defineConfig(config: WorkspacesConfig = {}): ResolvedWorkspacesConfig {
  const settings = withDefaults('WorkspacesConfig', config, {
    common: false,
    roles: { member: [] },
    commonRole: 'member',
    invitationDays: 7,
    restoreDays: 30,
    claim: null,
    models: [],
    invite: () => {},
    removed: () => {},
  })
  const roles = { ...settings.roles, [OWNER]: ['*'] }
  const isListed = Object.values<unknown>(roles).every((abilities) => Array.isArray(abilities))
  assertArgument(isListed, 'WorkspacesConfig: each of the "roles" must be a list of abilities')
  const unknown = `WorkspacesConfig: "commonRole" is "${settings.commonRole}", which is not among the "roles"`
  assertArgument(Object.hasOwn(roles, settings.commonRole), unknown)
  return markResolved({ ...settings, roles })
}
