import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import manager from '#auth/service'
import type { Commit } from '#database/raw_query'
import { asId } from '#database/key'
import { toSeconds } from '#database/records'
import { pathTo, wantsPage } from '#http/pages'
import { fieldError } from '#http/words'
import { askingIn, recordInWorkspace } from '#workspaces/asking'
import { answer, answerGone } from '#workspaces/controllers/workspaces_controller'
import { PersonalWorkspace, WorkspaceNotFound } from '#workspaces/errors'
import { assertOr } from '#process/assert_or'
import { enforcementValidator, providerValidator } from '#workspaces/validators'

/** The identity providers of the workspace that a person works in: whose domain they have verified sign in there. */
export default class WorkspaceProvidersController {
  async index(ctx: HttpContext) {
    const { organisations } = await managing(ctx)
    const rows = await organisations.list(ctx.workspace.id)
    const providers = rows.map((row) => describe(row, organisations))
    return wantsPage(ctx)
      ? ctx.view.render('pages/workspaces/providers', { workspace: ctx.workspace, providers })
      : ctx.response.ok({ providers })
  }

  async store(ctx: HttpContext) {
    const { organisations, user, owner, commit } = await managing(ctx)
    const fields = await ctx.request.validateUsing(providerValidator)
    const { domain, issuer, client_id: clientId, client_secret: clientSecret } = fields
    /* This asks servers that somebody else has named, and so does `verify`. */
    await manager.feature('throttle')?.penalize('workspaces', owner.userId, ctx)
    const { id } = ctx.workspace
    const added = organisations.add({ domain, issuer, clientId, clientSecret }, id, commit)
    const row = await added.catch(asFieldError(ctx))
    await recordInWorkspace(ctx, user, id, 'workspace_provider_added', { name: row.domain })
    return wantsPage(ctx)
      ? this.#answer(ctx, 'added')
      : ctx.response.created(describe(row, organisations))
  }

  async verify(ctx: HttpContext) {
    const { organisations, user, owner, row, commit } = await found(ctx)
    await manager.feature('throttle')?.penalize('workspaces', owner.userId, ctx)
    await organisations.verify(row, commit).catch(asFieldError(ctx))
    const name = row.domain
    await recordInWorkspace(ctx, user, ctx.workspace.id, 'workspace_provider_verified', { name })
    return this.#answer(ctx, 'verified')
  }

  /** Forbids passwords and codes by mail for addresses of the domain, or allows them again. */
  async enforce(ctx: HttpContext) {
    const { organisations, user, row, commit } = await found(ctx)
    const { forbid_password: isForbidden } = await ctx.request.validateUsing(enforcementValidator)
    await organisations.forbidPassword(row, isForbidden, commit).catch(asFieldError(ctx))
    const type = isForbidden ? 'workspace_passwords_forbidden' : 'workspace_passwords_allowed'
    await recordInWorkspace(ctx, user, ctx.workspace.id, type, { name: row.domain })
    return this.#answer(ctx, isForbidden ? 'forbidden' : 'allowed')
  }

  async destroy(ctx: HttpContext) {
    const { organisations, user, commit } = await managing(ctx)
    const row = await organisations.get(ctx.workspace.id, asId(ctx.params.id))
    if (!row || !(await organisations.remove(row, commit))) {
      return answerGone(ctx, new WorkspaceNotFound(NO_PROVIDER), pageOf(ctx))
    }
    const name = row.domain
    await recordInWorkspace(ctx, user, ctx.workspace.id, 'workspace_provider_removed', { name })
    return this.#answer(ctx, 'removed')
  }

  #answer(ctx: HttpContext, words: string) {
    return answer(ctx, `provider_${words}`, pageOf(ctx))
  }
}

const MANAGE = 'providers:manage'

const pageOf = ({ workspace }: HttpContext) =>
  pathTo('workspace.providers.providers.index', [workspace.slug])

const NO_PROVIDER = 'The workspace has no such provider.'

/** For somebody who may manage them. @throws {WorkspaceNotFound} without providers {PersonalWorkspace} */
async function managing(ctx: HttpContext) {
  const { user, owner, workspaces } = await askingIn(ctx, MANAGE)
  const organisations = manager.feature('social')?.organisations
  const missing = 'Providers of workspaces need the store "database" in config/social.ts.'
  assertOr(organisations, WorkspaceNotFound, missing)
  assertOr(!ctx.workspace.isPersonal, PersonalWorkspace)
  /* Servers that are asked may be slow, and whoever asked may be removed meanwhile. */
  const commit: Commit = (write) =>
    workspaces.changeAs(ctx.workspace.id, owner, { ability: MANAGE }, write)
  return { user, owner, organisations, commit }
}

/** @throws {WorkspaceNotFound} when the workspace has no such provider */
async function found(ctx: HttpContext) {
  const manages = await managing(ctx)
  const row = await manages.organisations.get(ctx.workspace.id, asId(ctx.params.id))
  assertOr(row, WorkspaceNotFound, NO_PROVIDER)
  return { ...manages, row }
}

/** For `catch`: what is refused is a message of its field; the page has none for the record. */
function asFieldError(ctx: HttpContext) {
  return (error: { code?: string; field: string; rule: string }): never => {
    const { code, field, rule } = error
    if (code !== 'E_ORGANISATION_REFUSED') {
      throw error
    }
    if (field === 'txt_record' && wantsPage(ctx)) {
      ctx.session.flash('error', ctx.i18n.t(`validation.messages.${rule}`))
    }
    throw fieldError(ctx, field, rule)
  }
}

type Found = Awaited<ReturnType<typeof found>>

/** A provider as programs and the page see it: never its secret. Times are epoch seconds. */
function describe(row: Found['row'], organisations: Found['organisations']) {
  const at = (path: string) =>
    new URL(`/auth/${row.name}/${path}`, app.config.get<string>('app.appUrl')).href
  return {
    id: row.id,
    name: row.name,
    domain: row.domain,
    issuer: row.issuer,
    client_id: row.clientId,
    verified: row.verifiedDomain !== null,
    forbids_password: row.forbidsPassword,
    txt_record: organisations.recordOf(row),
    redirect_uri: at('callback'),
    backchannel_logout_uri: at('backchannel-logout'),
    created_at: toSeconds(row.createdAt),
  }
}
