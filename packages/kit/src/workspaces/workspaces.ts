import string from '@adonisjs/core/helpers/string'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'

import type {
  CredentialContext,
  CredentialContexts,
  CredentialOwner,
} from '#auth/credential_contexts'
import { InvalidSession, InvalidToken } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import { optionalUser } from '#auth/protection'
import type { Users } from '#auth/users'
import { affectedRows, selectRows } from '#database/raw_query'
import { generateIdentifier } from '#security/secrets'
import {
  type CurrentWorkspace,
  forgetWorkspace,
  resolveWorkspace,
} from '#workspaces/current_workspace'
import { COMMON_ID, OWNER, type ResolvedWorkspacesConfig } from '#workspaces/define_config'
import { LastOwner, PersonalWorkspace, WorkspaceNotFound } from '#workspaces/errors'
import { Invitations } from '#workspaces/invitations'
import Workspace from '#workspaces/models/workspace'
import WorkspaceMembership from '#workspaces/models/workspace_membership'

declare module '#auth/features' {
  interface AuthFeatures {
    workspaces: Workspaces
  }
}

declare module '#auth/security_events' {
  interface SecurityEvents {
    workspace_created: { name: string }
    workspace_renamed: { name: string }
    workspace_deleted: {}
    workspace_restored: {}
    workspace_transferred: { name: string }
    member_invited: { email: string }
    invitation_revoked: { email: string }
    member_joined: {}
    member_left: {}
    member_removed: { name: string }
    role_changed: { name: string; role: string }
  }
}

/** The session's choice, and the member of a credential's context. */
export const WORKSPACE_KEY = 'workspace_id'

const DAY = 86_400_000

/** A workspace that somebody is a member of. */
export interface OwnWorkspace {
  id: number
  slug: string
  name: string
  role: string
  isPersonal: boolean
  /** Epoch milliseconds; null unless it waits for its purge. */
  deletedAt: number | null
}

/** Who is in which workspace with which role, and which one a request is about. */
export class Workspaces implements CredentialContexts {
  readonly label = 'workspaces.choose'
  readonly hint = 'workspaces.choose_text'
  readonly invitations: Invitations

  constructor(
    readonly config: ResolvedWorkspacesConfig,
    protected manager: AuthManager
  ) {
    this.invitations = new Invitations(this)
  }

  /** Whether a role has an ability. */
  can(role: string | null, ability: string): boolean {
    const abilities = role === null ? [] : (this.config.roles[role] ?? [])
    return abilities.includes('*') || abilities.includes(ability)
  }

  /** Whether a member may give, take and have removed a role: it can do nothing that theirs cannot. */
  mayManage(role: string | null, other: string): boolean {
    const abilities = this.config.roles[other]
    return !!abilities?.every((ability) => this.can(role, ability))
  }

  /** The role that may do most but for the owner's. */
  get nextRole(): string {
    const others = Object.entries(this.config.roles).filter(([role]) => role !== OWNER)
    const [highest] = others.sort(([, a], [, b]) => b.length - a.length)
    return highest?.[0] ?? OWNER
  }

  /* ---- The current one ---- */

  /**
   * The workspace of a request: what its token is bound to, or what the session's user
   * has chosen; otherwise the caller's own, or the common one.
   *
   * @throws {WorkspaceNotFound} when a token's owner is not a member (any more)
   * @throws {Unauthenticated} when nobody is signed in, and there is no common workspace
   */
  async resolve(ctx: HttpContext): Promise<CurrentWorkspace> {
    /* Asks the session only where one was opened: MCP requests have none. */
    const user = ctx.authenticator.context
      ? ctx.authenticator.context.user
      : ctx.session && (await optionalUser(ctx))
    if (!user) {
      return this.config.common ? this.#common(null) : failWithoutCaller(ctx)
    }
    const { users } = ctx.authenticator.use(ctx.authenticator.defaultGuard)
    const owner = ownerOf(user, users)
    const { boundTo } = ctx.authenticator.context!
    if (boundTo !== undefined) {
      const id = idIn(boundTo)
      return id === null ? this.#usual(owner) : this.#current(await this.#member(owner, id))
    }
    const chosen = ctx.session?.get(WORKSPACE_KEY)
    const own = typeof chosen === 'number' ? await this.#member(owner, chosen) : null
    return own ? this.#current(own) : this.#usual(owner)
  }

  /** Makes another workspace the current one of a session. @throws {WorkspaceNotFound} unless its user is a member */
  async choose(ctx: HttpContext, owner: CredentialOwner, id: number | null): Promise<void> {
    if (id === null) {
      ctx.session.forget(WORKSPACE_KEY)
    } else {
      this.#current(await this.#member(owner, id))
      ctx.session.put(WORKSPACE_KEY, id)
    }
    forgetWorkspace(ctx)
  }

  /* ---- What credentials are bound to ---- */

  async choices(
    ctx: HttpContext,
    owner: CredentialOwner,
    before: readonly (CredentialContext | null)[] = []
  ) {
    const all = await this.list(owner)
    const teams = all.filter(({ isPersonal, deletedAt }) => !isPersonal && deletedAt === null)
    if (!teams.length) {
      return []
    }
    const usual = await this.#usual(owner)
    /* A wider request of a connected client stays in its workspace. */
    const { id: here } = await resolveWorkspace(ctx)
    const current = before.length === 1 ? idIn(before[0]!) : here
    return [{ id: null, name: usual.name }, ...teams].map(({ id, name }) => ({
      value: id === null ? '' : String(id),
      label: name,
      selected: id === current,
    }))
  }

  async current(ctx: HttpContext) {
    const { id, isPersonal } = await resolveWorkspace(ctx)
    return isPersonal ? null : { [WORKSPACE_KEY]: id }
  }

  read(value: string): CredentialContext | null {
    return value === '' ? null : { [WORKSPACE_KEY]: Number(value) }
  }

  async allows(owner: CredentialOwner, context: CredentialContext | null): Promise<boolean> {
    if (!context || !(WORKSPACE_KEY in context)) {
      return true
    }
    const id = idIn(context)
    if (id === null) {
      return false
    }
    await this.#settled(id)
    return (await this.#member(owner, id)) !== null
  }

  async claims(context: CredentialContext | null): Promise<Record<string, unknown>> {
    const id = idIn(context)
    const workspace = this.config.claim && id !== null ? await Workspace.find(id) : null
    return workspace ? { [this.config.claim!]: workspace.slug } : {}
  }

  /* ---- Membership ---- */

  /** The workspaces of a person, their own first. */
  async list(owner: CredentialOwner): Promise<OwnWorkspace[]> {
    const rows = await selectRows(
      db.connection(),
      `${MEMBER} WHERE m.user_id = ? AND m.provider = ? ORDER BY w.personal_of IS NULL, w.name, w.id`,
      [owner.userId, owner.provider]
    )
    return rows.map(toOwn)
  }

  members(workspaceId: number): Promise<WorkspaceMembership[]> {
    return WorkspaceMembership.query().where('workspaceId', workspaceId).orderBy('id').exec()
  }

  /** Gives a person the workspace of their own, unless they have it. Every registration does; others get it when they first need it. */
  async ensurePersonal(owner: CredentialOwner): Promise<void> {
    if (this.config.common) {
      return
    }
    const slug = `own-${generateIdentifier().toLowerCase()}`
    await db.transaction(async (trx) => {
      const [made] = await selectRows(
        trx,
        `INSERT INTO workspaces (slug, name, personal_of, created_at) VALUES (?, ?, ?, ?)
          ON CONFLICT (personal_of) DO NOTHING RETURNING id`,
        [slug, 'Personal', personalKey(owner), Date.now()]
      )
      if (made) {
        await this.join(trx, Number(made.id), owner, OWNER)
      }
    })
  }

  /** Makes a workspace to share, with its maker as owner. */
  async create(owner: CredentialOwner, name: string): Promise<Workspace> {
    const slug = `${string.slug(name, { lower: true, strict: true }) || 'team'}-${generateIdentifier().slice(0, 6).toLowerCase()}`
    return db.transaction(async (trx) => {
      const workspace = await Workspace.create(
        { slug, name, createdAt: Date.now() },
        { client: trx }
      )
      await this.join(trx, workspace.id, owner, OWNER)
      return workspace
    })
  }

  async rename(id: number, name: string): Promise<void> {
    await Workspace.query().where('id', id).update({ name })
  }

  /** Adds a member; one who is there already keeps their role. */
  async join(client: QueryClientContract, id: number, owner: CredentialOwner, role: string) {
    await selectRows(
      client,
      `INSERT INTO workspace_memberships (workspace_id, user_id, provider, role, created_at)
        VALUES (?, ?, ?, ?, ?) ON CONFLICT (workspace_id, provider, user_id) DO NOTHING RETURNING id`,
      [id, owner.userId, owner.provider, role, Date.now()]
    )
  }

  /**
   * Gives a member another role.
   *
   * @throws {WorkspaceNotFound} when there is no such member
   * @throws {LastOwner} when no owner would be left
   */
  async changeRole(id: number, membershipId: number, role: string): Promise<WorkspaceMembership> {
    return this.#change(id, async (trx) => {
      const member = await this.#membership(trx, id, membershipId)
      await member.merge({ role }).save()
      return member
    })
  }

  /** Makes another member the owner, and the owner of before an ordinary member of a role. */
  async transfer(id: number, from: CredentialOwner, membershipId: number, role: string) {
    return this.#change(id, async (trx) => {
      const member = await this.#membership(trx, id, membershipId)
      await memberQuery(trx, id, from).update({ role })
      await member.merge({ role: OWNER }).save()
      return member
    })
  }

  /**
   * Removes a member, with every token and grant that they hold for the workspace;
   * their sessions go on in another workspace.
   *
   * @throws {LastOwner} when no owner would be left
   */
  async remove(id: number, owner: CredentialOwner): Promise<void> {
    await this.#change(id, async (trx) => {
      if (!affectedRows(await memberQuery(trx, id, owner).delete())) {
        throw new WorkspaceNotFound()
      }
      await this.#endCredentials(trx, id, owner)
    })
  }

  /** Ends a workspace for all its members and their tokens and grants. For a time its owners can restore it. */
  async delete(id: number): Promise<void> {
    await this.#change(id, async (trx) => {
      await Workspace.query({ client: trx }).where('id', id).update({ deletedAt: Date.now() })
      const members = await WorkspaceMembership.query({ client: trx }).where('workspaceId', id)
      for (const { userId, provider } of members) {
        await this.#endCredentials(trx, id, { userId, provider })
      }
    })
  }

  /** Takes a deletion back. @throws {WorkspaceNotFound} unless the person owns a deleted workspace with this id */
  async restore(owner: CredentialOwner, id: number): Promise<void> {
    const all = await this.list(owner)
    const own = all.find((one) => one.id === id)
    if (!own || own.deletedAt === null || own.role !== OWNER) {
      throw new WorkspaceNotFound()
    }
    await Workspace.query().where('id', id).update({ deletedAt: null })
  }

  /** Deletes workspaces whose time to be restored is over, with all their rows; returns how many. */
  async purge(): Promise<number> {
    const until = Date.now() - this.config.restoreDays * DAY
    const over = await Workspace.query().where('deletedAt', '<=', until).limit(100)
    for (const { id } of over) {
      await this.#erase(id)
    }
    await this.invitations.purge()
    return over.length
  }

  /** Takes a person out of every workspace whose account is deleted; where they were the last owner, the oldest member becomes one. */
  async forget(user: unknown, users: Users): Promise<void> {
    const owner = ownerOf(user, users)
    for (const { id, isPersonal } of await this.list(owner)) {
      const members = await this.members(id)
      const heir = members.find(
        ({ userId, provider }) => userId !== owner.userId || provider !== owner.provider
      )
      if (isPersonal || !heir) {
        await this.#erase(id)
        continue
      }
      await db.transaction(async (trx) => {
        await this.#lock(trx, id)
        await memberQuery(trx, id, owner).delete()
        if (!(await hasOwner(trx, id))) {
          await memberQuery(trx, id, heir).update({ role: OWNER })
        }
      })
    }
  }

  /** Changes members under the lock of their workspace: two who leave at once cannot both have been the last owner but one. */
  async #change<Result>(id: number, work: (trx: TransactionClientContract) => Promise<Result>) {
    return db.transaction(async (trx) => {
      const workspace = await this.#lock(trx, id)
      if (workspace.personal_of !== null) {
        throw new PersonalWorkspace()
      }
      const result = await work(trx)
      if (!(await hasOwner(trx, id))) {
        throw new LastOwner()
      }
      return result
    })
  }

  /** A write first: it takes the row on PostgreSQL, and the one writer's place on SQLite. */
  async #lock(trx: TransactionClientContract, id: number) {
    const [row] = await selectRows(
      trx,
      'UPDATE workspaces SET name = name WHERE id = ? RETURNING personal_of',
      [id]
    )
    return row ?? failWithout()
  }

  async #membership(trx: TransactionClientContract, id: number, membershipId: number) {
    const query = WorkspaceMembership.query({ client: trx })
    return (await query.where({ id: membershipId, workspaceId: id }).first()) ?? failWithout()
  }

  async #endCredentials(trx: TransactionClientContract, id: number, owner: CredentialOwner) {
    for (const holder of this.manager.credentialHolders) {
      await holder.endWhere(owner, (context) => idIn(context) === id, trx)
    }
  }

  async #erase(id: number): Promise<void> {
    const models = await Promise.all(this.config.models.map(({ load }) => load()))
    await db.transaction(async (trx) => {
      await this.#lock(trx, id)
      for (const { default: model } of models) {
        await trx.from(model.table).where('workspace_id', id).delete()
      }
      await trx.from('workspace_invitations').where('workspace_id', id).delete()
      await trx.from('workspace_memberships').where('workspace_id', id).delete()
      await trx.from('workspaces').where('id', id).delete()
    })
  }

  async #member(owner: CredentialOwner, id: number): Promise<OwnWorkspace | null> {
    const [row] = await selectRows(
      db.connection(),
      `${MEMBER} WHERE m.workspace_id = ? AND m.user_id = ? AND m.provider = ? AND w.deleted_at IS NULL`,
      [id, owner.userId, owner.provider]
    )
    return row ? toOwn(row) : null
  }

  /** Waits for whoever changes members now, and has locked the row of the workspace. On SQLite a reader sees what is committed. */
  async #settled(id: number): Promise<void> {
    const client = db.connection()
    if (client.dialect.name === 'postgres') {
      await selectRows(client, 'SELECT 1 FROM workspaces WHERE id = ? FOR SHARE', [id])
    }
  }

  async #usual(owner: CredentialOwner): Promise<CurrentWorkspace> {
    if (this.config.common) {
      return this.#common(this.config.commonRole)
    }
    const sql = `${MEMBER} WHERE w.personal_of = ? AND m.user_id = ?`
    const bindings = [personalKey(owner), owner.userId]
    let [row] = await selectRows(db.connection(), sql, bindings)
    if (!row) {
      await this.ensurePersonal(owner)
      ;[row] = await selectRows(db.connection(), sql, bindings)
    }
    return this.#current(row ? toOwn(row) : null)
  }

  #common(role: string | null) {
    const common = { id: COMMON_ID, slug: 'common', name: 'Common', isPersonal: true }
    return { ...common, role, can: (ability: string) => this.can(role, ability) }
  }

  #current(own: OwnWorkspace | null): CurrentWorkspace {
    if (!own) {
      throw new WorkspaceNotFound()
    }
    const { id, slug, name, role, isPersonal } = own
    return { id, slug, name, role, isPersonal, can: (ability) => this.can(role, ability) }
  }
}

const MEMBER = `SELECT w.id, w.slug, w.name, w.personal_of, w.deleted_at, m.role
  FROM workspace_memberships m JOIN workspaces w ON w.id = m.workspace_id`

function toOwn(row: Record<string, unknown>): OwnWorkspace {
  return {
    id: Number(row.id),
    slug: row.slug as string,
    name: row.name as string,
    role: row.role as string,
    isPersonal: row.personal_of !== null,
    deletedAt: row.deleted_at === null ? null : Number(row.deleted_at),
  }
}

export function ownerOf(user: unknown, users: Users): CredentialOwner {
  return { userId: users.identify(user), provider: users.name }
}

const personalKey = ({ provider, userId }: CredentialOwner) => `${provider}:${userId}`

function memberQuery(client: QueryClientContract, id: number, owner: CredentialOwner) {
  const { userId, provider } = owner
  return WorkspaceMembership.query({ client }).where({ workspaceId: id, userId, provider })
}

async function hasOwner(client: QueryClientContract, id: number): Promise<boolean> {
  const query = WorkspaceMembership.query({ client }).where({ workspaceId: id, role: OWNER })
  return (await query.first()) !== null
}

/** The workspace in a context; null for none. */
function idIn(context: CredentialContext | null): number | null {
  const id = context?.[WORKSPACE_KEY]
  return Number.isSafeInteger(id) ? id : null
}

function failWithout(): never {
  throw new WorkspaceNotFound()
}

/** A page leads to the sign-in then. */
function failWithoutCaller({ session }: HttpContext): never {
  throw session ? new InvalidSession() : new InvalidToken()
}
