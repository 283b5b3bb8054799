import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

import type { CredentialContext } from '#auth/credential_contexts'
import type { AuthManager } from '#auth/manager'
import { type Owner, type Users, isOwnedBy } from '#auth/users'
import { affectedRows, insertUnlessThere, selectRows } from '#database/raw_query'
import type { CurrentWorkspace } from '#workspaces/current_workspace'
import { OWNER, type ResolvedWorkspacesConfig } from '#workspaces/define_config'
import { LastOwner, PersonalWorkspace, RoleRefused, WorkspaceNotFound } from '#workspaces/errors'
import { assertOr } from '#process/assert_or'
import { WorkspaceMembership, lockWorkspace, lockWrites } from '#workspaces/models'

/** The session's choice, and the member of a credential's context. */
export const WORKSPACE_KEY = 'workspace_id'

export function idIn(context: CredentialContext | null): number | null {
  const id = context?.[WORKSPACE_KEY]
  return Number.isSafeInteger(id) ? id : null
}

/** A workspace that somebody is a member of. */
export interface OwnWorkspace extends Omit<CurrentWorkspace, 'can'> {
  role: string
  /** Epoch milliseconds; null unless it waits for its purge. */
  deletedAt: number | null
}

const OWN = `SELECT w.id, w.slug, w.name, w.personal_of, w.deleted_at, m.role
  FROM workspace_memberships m JOIN workspaces w ON w.id = m.workspace_id
  WHERE m.user_id = ? AND m.provider = ?`

/** The workspaces of a person; `more` narrows and sorts them. */
export async function findOwn(
  { userId, provider }: Owner,
  more: string,
  bindings: unknown[] = [],
  client: QueryClientContract = db.connection()
): Promise<OwnWorkspace[]> {
  const rows = await selectRows(client, `${OWN} ${more}`, [userId, provider, ...bindings])
  return rows.map((row) => ({
    id: Number(row.id),
    slug: row.slug as string,
    name: row.name as string,
    role: row.role as string,
    isPersonal: row.personal_of !== null,
    deletedAt: row.deleted_at === null ? null : Number(row.deleted_at),
  }))
}

export const ownerOf = (user: unknown, users: Users): Owner => users.ownerOf(user)

/** In the column `personal_of`. */
export const personalKey = ({ provider, userId }: Owner) => `${provider}:${userId}`

export function membershipOf(client: QueryClientContract, id: number, owner: Owner) {
  const { userId, provider } = owner
  return WorkspaceMembership.query({ client }).where({ workspaceId: id, userId, provider })
}

const ownersOf = (client: QueryClientContract, workspaceId: number) =>
  WorkspaceMembership.query({ client }).where({ workspaceId, role: OWNER })

type Work<Result> = (trx: TransactionClientContract) => Promise<Result>

const MANAGE = 'members:manage'
const NO_MEMBER = 'There is no such member, or you may not manage them.'

/** Who is in which workspace, and what their roles may do. */
export class Memberships {
  constructor(
    readonly config: ResolvedWorkspacesConfig,
    protected manager: AuthManager
  ) {}

  can(role: string | null, ability: string): boolean {
    const abilities = role === null ? [] : (this.config.roles[role] ?? [])
    return abilities.includes('*') || abilities.includes(ability)
  }

  /** Whether a member may give, take and have removed a role: it can do nothing that theirs cannot. */
  mayManage(role: string | null, other: string): boolean {
    return (this.config.roles[other] ?? []).every((ability) => this.can(role, ability))
  }

  /** The role that may do most but for the owner's. */
  get nextRole(): string {
    const others = Object.entries(this.config.roles).filter(([role]) => role !== OWNER)
    const [highest] = others.sort(([, a], [, b]) => b.length - a.length)
    return highest?.[0] ?? OWNER
  }

  /** The workspaces of a person, their own first. */
  list(owner: Owner): Promise<OwnWorkspace[]> {
    return findOwn(owner, 'ORDER BY w.personal_of IS NULL, w.name, w.id')
  }

  members(workspaceId: number, client: QueryClientContract = db.connection()) {
    return WorkspaceMembership.query({ client }).where({ workspaceId }).orderBy('id').exec()
  }

  /** Adds a member; one who is there already keeps their role. */
  async join(client: QueryClientContract, id: number, { userId, provider }: Owner, role: string) {
    const row = { workspaceId: id, userId, provider, role, createdAt: Date.now() }
    const unique = ['workspaceId', 'provider', 'userId'] as const
    await insertUnlessThere(client, WorkspaceMembership, row, unique)
  }

  /**
   * @param by who gives the role; absent for the application itself
   * @returns null when the member has the role already
   * @throws {WorkspaceNotFound} when there is no such member, or `by` may not manage them or the role
   * @throws {LastOwner} when no owner would be left
   */
  async changeRole(id: number, memberId: number, role: string, by?: Owner) {
    return this.#changeMembers(id, async (trx) => {
      const member = await findMember(trx, id, memberId)
      const mayManage = await this.mayGive(trx, id, by, MANAGE, [member.role, role])
      assertOr(mayManage, WorkspaceNotFound, NO_MEMBER)
      return member.role === role ? null : member.merge({ role }).save()
    })
  }

  /** Makes another member an owner, and `from` a member of a role. @throws {WorkspaceNotFound} when one is gone, or the other is deactivated */
  async transfer(id: number, from: Owner, membershipId: number, role: string) {
    const isActive = await this.isActive(await findMember(db.connection(), id, membershipId))
    assertOr(isActive, WorkspaceNotFound, NO_MEMBER)
    return this.#changeMembers(id, async (trx) => {
      const heir = await findMember(trx, id, membershipId)
      const given = await membershipOf(trx, id, from).where({ role: OWNER }).update({ role })
      assertOr(affectedRows(given) && !isOwnedBy(heir, from), WorkspaceNotFound, NO_MEMBER)
      return heir.merge({ role: OWNER }).save()
    })
  }

  /**
   * Removes a member, with every token and grant for the workspace; their sessions go on in another workspace.
   * @param by who removes them; absent for the person and the application
   * @returns false when they are no member, e.g. because the first of two clicks has removed them
   * @throws {WorkspaceNotFound} when `by` may not manage them
   * @throws {LastOwner} when no owner would be left
   */
  async remove(id: number, owner: Owner, by?: Owner): Promise<boolean> {
    return this.#changeMembers(id, async (trx) => {
      const member = await membershipOf(trx, id, owner).first()
      if (!member) {
        return false
      }
      const mayManage = await this.mayGive(trx, id, by, MANAGE, [member.role])
      assertOr(mayManage, WorkspaceNotFound, NO_MEMBER)
      await member.delete()
      await this.endCredentials(trx, id, owner)
      return true
    })
  }

  /**
   * A change under the lock of its workspace, by a member as they are when it is made: whoever was removed meanwhile changes
   * nothing.
   * @param ofOne whether the workspace may be that of one person
   * @throws {PersonalWorkspace} when it may not, and is
   * @throws {WorkspaceNotFound} when they are not in the workspace any more
   * @throws {RoleRefused} when their role does not have the ability, or may not manage the roles
   */
  async changeAs<Result>(
    id: number,
    by: Owner | undefined,
    { ability, roles = [], ofOne }: { ability: string; roles?: readonly string[]; ofOne?: boolean },
    work: Work<Result>
  ): Promise<Result> {
    return db.transaction(async (trx) => {
      const locked = await lockWorkspace(trx, id)
      assertOr(locked, WorkspaceNotFound)
      assertOr(!locked.isPersonal || ofOne, PersonalWorkspace)
      const mayGive = await this.mayGive(trx, id, by, ability, roles)
      assertOr(mayGive !== null, WorkspaceNotFound)
      assertOr(mayGive, RoleRefused)
      return work(trx)
    })
  }

  /**
   * Whether a member has the ability, and may manage all of these roles. Asked under the lock: a role of meanwhile counts.
   * @param by absent for the application itself, which may
   * @returns null when they are no member
   */
  async mayGive(
    client: QueryClientContract,
    id: number,
    by: Owner | undefined,
    ability: string,
    roles: readonly string[]
  ): Promise<boolean | null> {
    const own = by ? await membershipOf(client, id, by).first() : { role: OWNER }
    const may = (role: string) => roles.every((one) => this.mayManage(role, one))
    return own && this.can(own.role, ability) && may(own.role)
  }

  /** Null is the application itself, which nobody deactivates. Asked outside of transactions: users may be elsewhere. */
  async isActive({ provider, userId }: Record<keyof Owner, string | null>, read?: unknown) {
    const users = provider && this.manager.hasUsers(provider) ? this.manager.users(provider) : null
    return userId === null || Boolean(await users?.findActive(userId, read))
  }

  /** The ids of those who are deactivated and lead nobody; none where all of them are. `people`: those behind them, when they are read. */
  async idleAmong(members: readonly WorkspaceMembership[], people?: Map<Owner, unknown>) {
    const read = (one: Owner) => people && (people.get(one) ?? null)
    const isActive = await Array.fromAsync(members, (one) => this.isActive(one, read(one)))
    const idle = members.filter((_, index) => !isActive[index]).map(({ id }) => id)
    return new Set(idle.length < members.length ? idle : [])
  }

  /** Two who leave at once cannot both have been the last owner but one. @throws {LastOwner} when nobody active would be left, where somebody is */
  async #changeMembers<Result>(id: number, work: Work<Result>): Promise<Result> {
    const idle = await this.idleAmong(await ownersOf(db.connection(), id))
    return this.changeAs(id, undefined, { ability: MANAGE }, async (trx) => {
      await lockWrites(trx, id)
      const result = await work(trx)
      const leaders = ownersOf(trx, id).whereNotIn('id', [...idle])
      assertOr(await leaders.first(), LastOwner)
      return result
    })
  }

  protected async endCredentials(trx: TransactionClientContract, id: number, member: Owner) {
    const { userId, provider } = member
    for (const holder of this.manager.credentialHolders) {
      await holder.endWhere({ userId, provider }, (context) => idIn(context) === id, trx)
    }
  }
}

/** @throws {WorkspaceNotFound} */
export async function findMember(client: QueryClientContract, id: number, memberId: number) {
  const query = WorkspaceMembership.query({ client }).where({ id: memberId, workspaceId: id })
  const member = await query.first()
  assertOr(member, WorkspaceNotFound, NO_MEMBER)
  return member
}
