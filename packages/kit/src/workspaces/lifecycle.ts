import string from '@adonisjs/core/helpers/string'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

import { InvalidSession } from '#auth/errors'
import { type Owner, type Users, isOwnedBy } from '#auth/users'
import { affectedRows, insertUnlessThere } from '#database/raw_query'
import { generateIdentifier } from '#security/secrets'
import { OWNER } from '#workspaces/define_config'
import { WorkspaceNotFound } from '#workspaces/errors'
import { assertOr } from '#process/assert_or'
import { DAY, Invitations } from '#workspaces/invitations'
import { Memberships, membershipOf, personalKey } from '#workspaces/memberships'
import { Workspace, lockWorkspace, lockWrites } from '#workspaces/models'

/** Characters of a name in its slug, whose column has room for 80. Some characters are a word in it. */
const SLUG_WORDS = 73

/** How workspaces begin and end. */
export class WorkspaceLifecycle extends Memberships {
  readonly invitations = new Invitations(this)

  /** Gives a person the workspace of their own, unless they have it. Every registration does; others get it when they first need it. */
  async ensurePersonal(owner: Owner): Promise<void> {
    if (this.config.common) {
      return
    }
    const row = {
      slug: `own-${generateIdentifier().toLowerCase()}`,
      name: 'Personal',
      personalOf: personalKey(owner),
      createdAt: Date.now(),
    }
    await db.transaction(async (trx) => {
      const made = await insertUnlessThere(trx, Workspace, row, ['personalOf'])
      if (made) {
        await this.join(trx, Number(made.id), owner, OWNER)
      }
    })
  }

  async create(owner: Owner, name: string): Promise<Workspace> {
    const words = string.slug(name, { lower: true, strict: true }).slice(0, SLUG_WORDS) || 'team'
    const slug = `${words}-${generateIdentifier().slice(0, 6).toLowerCase()}`
    return db.transaction(async (trx) => {
      const fields = { slug, name, createdAt: Date.now() }
      const workspace = await Workspace.create(fields, { client: trx })
      await this.join(trx, workspace.id, owner, OWNER)
      return workspace
    })
  }

  /** @returns false when it has the name already, e.g. by the first of two clicks. @throws {WorkspaceNotFound | RoleRefused} */
  async rename(id: number, name: string, by?: Owner): Promise<boolean> {
    return this.changeAs(id, by, { ability: 'workspace:update', ofOne: true }, async (trx) => {
      const others = Workspace.query({ client: trx }).where('id', id).whereNot('name', name)
      return affectedRows(await others.update({ name })) > 0
    })
  }

  /**
   * Ends a workspace for all its members and their tokens and grants. For a time its owners can restore it.
   * @throws {WorkspaceNotFound | RoleRefused} when it is gone, or `by` may not delete it any more
   */
  async delete(id: number, by?: Owner): Promise<void> {
    const needed = { ability: 'workspace:delete' }
    /* First, so that none is trusted when the process stops in between. */
    await this.changeAs(id, by, needed, async () => {})
    await this.#endProviders(id)
    await this.changeAs(id, by, needed, async (trx) => {
      await lockWrites(trx, id)
      await Workspace.query({ client: trx }).where('id', id).update({ deletedAt: Date.now() })
      for (const member of await this.members(id, trx)) {
        await this.endCredentials(trx, id, member)
      }
    })
    /* Once more: one may have been added meanwhile. */
    await this.#endProviders(id)
  }

  /** Takes a deletion back. @throws {WorkspaceNotFound} unless the person owns a deleted workspace with this id */
  async restore(owner: Owner, id: number): Promise<void> {
    const owned = membershipOf(db.connection(), id, owner).where({ role: OWNER })
    const deleted = Workspace.query().whereIn('id', owned.select('workspaceId'))
    const restored = await deleted.whereNotNull('deletedAt').update({ deletedAt: null })
    assertOr(affectedRows(restored), WorkspaceNotFound)
  }

  /** Deletes workspaces whose time to be restored is over, with all their rows; returns how many. */
  async purge(): Promise<number> {
    const until = Date.now() - this.config.restoreDays * DAY
    const over = await Workspace.query().where('deletedAt', '<=', until).limit(100)
    for (const { id } of over) {
      /* Its owner may have restored it since. */
      await this.#eraseIf(id, (trx) => lockWorkspace(trx, id, 'deleted_at IS NOT NULL'))
    }
    await this.invitations.purge()
    return over.length
  }

  /** Takes a person out of every workspace whose account is deleted; where they were the last active owner, the oldest active member becomes one. */
  async forget(user: unknown, users: Users): Promise<void> {
    await this.#forget(users.ownerOf(user))
  }

  async #forget(owner: Owner): Promise<void> {
    for (const { id } of await this.list(owner)) {
      const all = await this.members(id)
      const idle = await this.idleAmong(all.filter((member) => !isOwnedBy(member, owner)))
      await this.#eraseIf(id, async (trx) => {
        await lockWorkspace(trx, id, '1 = 1')
        await lockWrites(trx, id)
        await membershipOf(trx, id, owner).delete()
        const members = await this.members(id, trx)
        const active = members.filter((member) => !idle.has(member.id))
        const [heir = members[0]] = active
        if (heir && !active.some(({ role }) => role === OWNER)) {
          await heir.merge({ role: OWNER }).save()
        }
        return !heir
      })
    }
  }

  /**
   * Asked when a membership is there: a deletion of the account ends what is there.
   * @throws {InvalidSession} for a person whose account is gone, who is then no member of anything
   */
  async assertStays(owner: Owner): Promise<void> {
    if (!(await this.manager.users(owner.provider).find(owner.userId))) {
      await this.#forget(owner)
      throw new InvalidSession()
    }
  }

  /** The trust in the identity providers of a workspace ends with it, for good. */
  async #endProviders(id: number): Promise<void> {
    const organisations = this.manager.feature('social')?.organisations
    for (const row of (await organisations?.list(id)) ?? []) {
      await organisations!.remove(row)
    }
  }

  /** @param isOver asked under the lock of the workspace */
  async #eraseIf(id: number, isOver: (trx: TransactionClientContract) => Promise<unknown>) {
    const isErased = await db.transaction(async (trx) => {
      if (!(await isOver(trx))) {
        return false
      }
      for (const { load } of this.config.models) {
        const { default: model } = await load()
        /* Nothing else may have used it yet, and without a column of its own it has the table of its mixin. */
        model.boot()
        await trx.from(model.table).where('workspace_id', id).delete()
      }
      await trx.from('workspace_invitations').where('workspace_id', id).delete()
      await trx.from('workspace_memberships').where('workspace_id', id).delete()
      await trx.from('workspaces').where('id', id).delete()
      return true
    })
    if (isErased) {
      /* One that was being added while the workspace was deleted is there still. */
      await this.#endProviders(id)
    }
  }
}
