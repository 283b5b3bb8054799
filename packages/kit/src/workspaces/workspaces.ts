import type { HttpContext } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'
import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { CredentialContext, CredentialContexts } from '#auth/credential_contexts'
import { InvalidSession, InvalidToken } from '#auth/errors'
import { optionalUser } from '#auth/protection'
import type { Owner } from '#auth/users'
import { selectRows, within } from '#database/raw_query'
import { assertField, currentWords } from '#http/words'
import {
  type CurrentWorkspace,
  forgetWorkspace,
  resolveWorkspace,
} from '#workspaces/current_workspace'
import { COMMON_ID } from '#workspaces/define_config'
import { RoleRefused, WorkspaceNotFound } from '#workspaces/errors'
import { assertOr } from '#process/assert_or'
import { WorkspaceLifecycle } from '#workspaces/lifecycle'
import { WORKSPACE_KEY, findOwn, idIn, personalKey } from '#workspaces/memberships'
import { Workspace, lockWrites } from '#workspaces/models'

/** The person of a session or token that was accepted. */
export function callerOf({ authenticator }: HttpContext): Owner {
  const { users } = authenticator.use(authenticator.defaultGuard)
  return users.ownerOf(authenticator.context!.user!)
}

/** Which workspace a request is about, and which one a credential is bound to. */
export class Workspaces extends WorkspaceLifecycle implements CredentialContexts {
  readonly label = 'workspaces.choose'
  readonly hint = 'workspaces.choose_text'

  /**
   * What the request's token is bound to, or the session's user has chosen; otherwise the caller's own, or the common one.
   * @throws {WorkspaceNotFound} when a token's owner is not a member (any more)
   * @throws {Unauthenticated} when there is no user, and no common workspace
   */
  async resolve(ctx: HttpContext): Promise<CurrentWorkspace> {
    /* Asks the session only where one was opened: MCP requests have none. */
    const { context } = ctx.authenticator
    const user = context ? context.user : ctx.session && (await optionalUser(ctx))
    if (!user && this.config.common) {
      return this.#common(null)
    }
    /* A token without a user is refused as such: no sign-in would help it. */
    context?.getUserOrFail()
    /* A page leads to the sign-in then. */
    assertOr(user, ctx.session ? InvalidSession : InvalidToken)
    const owner = callerOf(ctx)
    const { boundTo } = ctx.authenticator.context!
    if (boundTo !== undefined) {
      const id = idIn(boundTo)
      return id === null ? this.#usual(owner) : this.#current(await this.#find(owner, id))
    }
    const chosen = ctx.session?.get(WORKSPACE_KEY)
    const own = typeof chosen === 'number' ? await this.#find(owner, chosen) : undefined
    return own ? this.#current(own) : this.#usual(owner)
  }

  /**
   * Whoever wrote in the workspace stays in it until their transaction ends: a change of their membership waits for it.
   * @throws {WorkspaceNotFound} when they are not in it any more
   * @throws {RoleRefused} when they may do less than when the request came
   */
  async hold(ctx: HttpContext, { id, role }: CurrentWorkspace, client: QueryClientContract) {
    const owner = callerOf(ctx)
    const where = within(client, db.connection())
    where.isTransaction && (await lockWrites(where, id, { isShared: true }))
    const own = this.#current(await this.#find(owner, id, where))
    assertOr(role === null || this.mayManage(own.role, role), RoleRefused)
    return own
  }

  /** Makes another workspace the current one of a session. @throws {WorkspaceNotFound} unless its user is a member */
  async choose(ctx: HttpContext, owner: Owner, id: number | null): Promise<void> {
    if (id === null) {
      ctx.session.forget(WORKSPACE_KEY)
    } else {
      this.#current(await this.#find(owner, id))
      ctx.session.put(WORKSPACE_KEY, id)
    }
    forgetWorkspace(ctx)
  }

  async choices(
    ctx: HttpContext,
    owner: Owner,
    before: readonly (CredentialContext | null)[] = []
  ) {
    const { id: here, isPersonal } = await resolveWorkspace(ctx)
    /* A wider request of a connected client stays where it is connected. */
    const connected = before.map(idIn)
    const isConnectedHere = connected.includes(isPersonal ? null : here)
    const [selected] = connected.length && !isConnectedHere ? connected : [here]
    const all = await this.#choosable(owner)
    return all.map(({ id, name: label }) => ({
      value: id === null ? '' : String(id),
      label,
      selected: id === selected,
    }))
  }

  async names(owner: Owner) {
    const all = await this.#choosable(owner)
    return (context: CredentialContext | null) =>
      all.find(({ id }) => id === idIn(context))?.name ?? null
  }

  /** @throws {E_VALIDATION_ERROR} when the form names another one: it was chosen in another tab since */
  async current(ctx: HttpContext) {
    const { id, isPersonal } = await resolveWorkspace(ctx)
    const names: unknown[] = isPersonal ? [null, ''] : [id, String(id)]
    const { [WORKSPACE_KEY]: shown = names[0] } = ctx.request.body()
    assertField(names.includes(shown), ctx, 'name', 'elsewhere')
    return isPersonal ? null : { [WORKSPACE_KEY]: id }
  }

  read(value: string): CredentialContext | null {
    return value === '' ? null : { [WORKSPACE_KEY]: Number(value) }
  }

  async allows(owner: Owner, context: CredentialContext | null): Promise<boolean> {
    if (!context || !(WORKSPACE_KEY in context)) {
      return true
    }
    const id = idIn(context)
    if (id === null) {
      return false
    }
    const client = db.connection()
    if (client.dialect.name === 'postgres') {
      /* Waits for whoever has locked the workspace to change its members. On SQLite a reader sees what is committed. */
      await selectRows(client, 'SELECT 1 FROM workspaces WHERE id = ? FOR SHARE', [id])
    }
    return (await this.#find(owner, id)) !== undefined
  }

  async claims(context: CredentialContext | null): Promise<Record<string, unknown>> {
    const id = idIn(context)
    const workspace = this.config.claim && id !== null ? await Workspace.find(id) : null
    return workspace ? { [this.config.claim!]: workspace.slug } : {}
  }

  /** The teams of a person, behind where they work without one; empty when there are none. */
  async #choosable(owner: Owner): Promise<{ id: number | null; name: string }[]> {
    const only = 'AND w.personal_of IS NULL AND w.deleted_at IS NULL ORDER BY w.name, w.id'
    const teams = await findOwn(owner, only)
    const name = currentWords(i18nManager).t(`workspaces.${this.config.common ? 'common' : 'own'}`)
    return teams.length ? [{ id: null, name }, ...teams] : []
  }

  async #find(owner: Owner, id: number, client?: QueryClientContract) {
    const [own] = await findOwn(owner, 'AND w.id = ? AND w.deleted_at IS NULL', [id], client)
    return own
  }

  /** Where a person works who has chosen no team. */
  async #usual(owner: Owner): Promise<CurrentWorkspace> {
    if (this.config.common) {
      return this.#common(this.config.commonRole)
    }
    const find = () => findOwn(owner, 'AND w.personal_of = ?', [personalKey(owner)])
    let [own] = await find()
    if (!own) {
      await this.ensurePersonal(owner)
      await this.assertStays(owner)
      ;[own] = await find()
    }
    return this.#current(own)
  }

  #common(role: string | null): CurrentWorkspace {
    return this.#current({ id: COMMON_ID, slug: 'common', name: 'Common', isPersonal: true, role })
  }

  #current(own: Omit<CurrentWorkspace, 'can'> | undefined): CurrentWorkspace {
    assertOr(own, WorkspaceNotFound)
    const { id, slug, name, role, isPersonal } = own
    return { id, slug, name, role, isPersonal, can: (ability) => this.can(role, ability) }
  }
}
