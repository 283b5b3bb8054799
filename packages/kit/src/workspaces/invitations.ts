import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { Owner } from '#auth/users'
import { affectedRows } from '#database/raw_query'
import { generateSecret, hashSecret } from '#security/secrets'
import { InvitationNotFound } from '#workspaces/errors'
import { assertOr } from '#process/assert_or'
import type { Memberships } from '#workspaces/memberships'
import { Workspace, WorkspaceInvitation, lockWorkspace } from '#workspaces/models'

export const DAY = 86_400_000

/** Milliseconds in which nobody sends a form twice on purpose. */
const CLICKS = 2000

const INVITE = 'invitations:manage'

/** For one address, once, for some days, while who invites may give the role. Only the hash of the secret is kept. */
export class Invitations {
  constructor(protected workspaces: Memberships) {}

  /** Those that are open, the newest first. */
  list(workspaceId: number): Promise<WorkspaceInvitation[]> {
    const own = WorkspaceInvitation.query().where({ workspaceId }).orderBy('id', 'desc')
    return own.where('expiresAt', '>', Date.now()).exec()
  }

  /**
   * Invites an address. An open invitation of the same address is replaced, and its link no longer works.
   * @param by who invites; absent for the application itself
   * @returns the secret of the link
   * @throws {PersonalWorkspace} for a workspace that cannot be shared
   * @throws {WorkspaceNotFound | RoleRefused} when the workspace is gone, or `by` may not invite any more
   */
  async create(workspaceId: number, address: string, role: string, by?: Owner): Promise<string> {
    return (await this.#invite(workspaceId, address, role, by))!
  }

  /** The same for a form of somebody; null when they have just sent it: two clicks send one mail, whose link works. */
  async request(workspaceId: number, address: string, role: string, by: Owner) {
    return this.#invite(workspaceId, address, role, by, Date.now() - CLICKS)
  }

  /** @param since epoch milliseconds: the same invitation of a later moment is not made again */
  async #invite(workspaceId: number, address: string, role: string, by?: Owner, since?: number) {
    const email = normalize(address)
    const inviter = { inviterId: by?.userId ?? null, inviterProvider: by?.provider ?? null }
    const invitation = { workspaceId, email, role, ...inviter }
    const needed = { ability: INVITE, roles: [role] }
    return this.workspaces.changeAs(workspaceId, by, needed, async (client) => {
      const twins = WorkspaceInvitation.query({ client }).where(invitation)
      if (since !== undefined && (await twins.where('createdAt', '>', since).first())) {
        return null
      }
      const token = generateSecret()
      const createdAt = Date.now()
      const expiresAt = createdAt + this.workspaces.config.invitationDays * DAY
      const sent = { ...invitation, tokenHash: hashSecret(token), createdAt, expiresAt }
      /* The lock of the workspace keeps another request from inviting the address between reading and writing. */
      await WorkspaceInvitation.updateOrCreate({ workspaceId, email }, sent, { client })
      return token
    })
  }

  /** Revokes an invitation, and returns its address; null when there is none, e.g. because it was accepted. */
  async revoke(workspaceId: number, id: number, by?: Owner): Promise<string | null> {
    return this.workspaces.changeAs(workspaceId, by, { ability: INVITE }, async (client) => {
      const revoked = await WorkspaceInvitation.query({ client }).where({ id, workspaceId }).first()
      await revoked?.delete()
      return revoked?.email ?? null
    })
  }

  /** The workspace that a link leads to, for the person whose address is invited. @throws {InvitationNotFound} */
  async find(token: string, address: string) {
    const invitation = await WorkspaceInvitation.findBy('tokenHash', hashSecret(token))
    const isOpen = invitation !== null && invitation.expiresAt > Date.now()
    assertOr(isOpen && invitation.email === normalize(address), InvitationNotFound)
    const workspace = await Workspace.find(invitation.workspaceId)
    assertOr(workspace?.deletedAt === null, InvitationNotFound)
    await this.#assertMeant(invitation, db.connection())
    const { inviterProvider: provider, inviterId: userId } = invitation
    assertOr(await this.workspaces.isActive({ provider, userId }), InvitationNotFound)
    return { invitation, workspace }
  }

  /** Makes the invited person a member. Of several at once one succeeds. @throws {InvitationNotFound} */
  async accept(token: string, address: string, owner: Owner): Promise<Workspace> {
    const { invitation, workspace } = await this.find(token, address)
    await db.transaction(async (trx) => {
      /* The workspace first, as by everybody who changes its members. */
      const isThere = await lockWorkspace(trx, workspace.id)
      const taken = await WorkspaceInvitation.query({ client: trx })
        .where({ id: invitation.id, tokenHash: invitation.tokenHash })
        .delete()
      assertOr(affectedRows(taken) && isThere, InvitationNotFound)
      await this.#assertMeant(invitation, trx)
      await this.workspaces.join(trx, workspace.id, owner, invitation.role)
    })
    return workspace
  }

  /** Who was removed, or may not give the role any more, lets nobody in, and no second address of their own. */
  async #assertMeant(
    { workspaceId, role, inviterId: userId, inviterProvider: provider }: WorkspaceInvitation,
    client: QueryClientContract
  ): Promise<void> {
    const by = userId !== null && provider !== null ? { userId, provider } : undefined
    const mayInvite = await this.workspaces.mayGive(client, workspaceId, by, INVITE, [role])
    assertOr(mayInvite, InvitationNotFound)
  }

  async purge(): Promise<void> {
    await WorkspaceInvitation.query().where('expiresAt', '<=', Date.now()).delete()
  }
}

const normalize = (address: string) => address.trim().toLowerCase()
