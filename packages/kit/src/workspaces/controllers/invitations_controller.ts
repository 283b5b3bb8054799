import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import manager from '#auth/service'
import { answer, answerGone, askRoles, homeOf } from '#workspaces/controllers/workspaces_controller'
import { asId } from '#database/key'
import { askingIn, peopleOf, recordInWorkspace } from '#workspaces/asking'
import { assertField } from '#http/words'
import { Background } from '#process/background'
import { nullFor } from '#process/null_for'
import { wantsPage } from '#http/pages'
import { handOver, hashSecret } from '#security/secrets'
import { invitationValidator } from '#workspaces/validators'
import { InvitationNotFound } from '#workspaces/errors'

/** Value of the session with the hash of the last link that was accepted, and the page of its workspace. */
const ACCEPTED = 'accepted_invitation'

/** Invitations: who may invites, and whoever has the address accepts. */
export default class InvitationsController {
  async store(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx, 'invitations:manage')
    const { email, role } = await ctx.request.validateUsing(invitationValidator, {
      meta: { roles: await askRoles(ctx, workspaces) },
    })
    const { id, slug, name: workspace } = ctx.workspace
    const members = await peopleOf(await workspaces.members(id))
    const isMember = [...members.values()].some((member) => member.email === email)
    assertField(!isMember, ctx, 'email', 'member')
    const throttle = manager.feature('throttle')
    await throttle?.penalize('workspaces', String(user.id), ctx)
    /* Neither one workspace nor many fill somebody's mailbox. */
    await throttle?.penalize('verificationMails', `proposed:${email}`, ctx)
    const create = wantsPage(ctx) ? 'request' : 'create'
    const token = await workspaces.invitations[create](id, email, role, owner)
    if (token !== null) {
      await recordInWorkspace(ctx, user, id, 'member_invited', { email })
      const background = await app.container.make(Background)
      const { config, invitations } = workspaces
      const invitation = { email, token, workspace, days: config.invitationDays }
      /* Another one may have replaced it meanwhile, and its mail may have gone first. */
      const send = async () => {
        const open = await invitations.find(token, email).catch(nullFor(InvitationNotFound))
        return open ? handOver(token, () => config.invite(invitation)) : undefined
      }
      background.afterReply(ctx.response, 'send an invitation', send)
    }
    return answer(ctx, 'invited', homeOf({ slug }))
  }

  async destroy(ctx: HttpContext) {
    const { user, owner, workspaces } = await askingIn(ctx, 'invitations:manage')
    const { id, slug } = ctx.workspace
    const email = await workspaces.invitations.revoke(id, asId(ctx.params.id), owner)
    if (email === null) {
      return answerGone(ctx, new InvitationNotFound(), homeOf({ slug }))
    }
    await recordInWorkspace(ctx, user, id, 'invitation_revoked', { email })
    return answer(ctx, 'revoked', homeOf({ slug }))
  }

  /** What the link of an invitation leads to, once its person is signed in. */
  async show(ctx: HttpContext) {
    const { user, workspaces } = await askingIn(ctx)
    const { token } = ctx.params
    const home = acceptedHome(ctx)
    if (home) {
      return ctx.response.redirect().toPath(home)
    }
    const { workspace } = await workspaces.invitations.find(token, user.email)
    /* Without any referrer the form would have `Origin: null`, which SPA mode refuses. */
    ctx.response.header('Referrer-Policy', 'strict-origin')
    return wantsPage(ctx)
      ? ctx.view.render('pages/workspaces/invitation', { workspace, token })
      : ctx.response.ok({ workspace: { name: workspace.name } })
  }

  async accept(ctx: HttpContext) {
    const { user, owner, users, workspaces } = await askingIn(ctx)
    const home = acceptedHome(ctx)
    if (home) {
      return answer(ctx, 'joined', home)
    }
    const { invitations } = workspaces
    const { token } = ctx.params
    const accept = async () => {
      await invitations.find(token, user.email)
      /* The link came to the address: who has it has the mailbox. What is older ends before it reaches the workspace. */
      await manager.accountAccess.firstArrival(user, users, ctx, { knowsPassword: true })
      return invitations.accept(token, user.email, owner)
    }
    const workspace = await accept().catch(nullFor(InvitationNotFound))
    if (!workspace) {
      /* The other one of two clicks at once may have accepted it: its page leads to the workspace then. */
      return answerGone(ctx, new InvitationNotFound(), ctx.request.url())
    }
    await workspaces.assertStays(owner)
    await workspaces.choose(ctx, owner, workspace.id)
    ctx.session.put(ACCEPTED, [hashSecret(token), homeOf(workspace)])
    await recordInWorkspace(ctx, user, workspace.id, 'member_joined', {})
    return answer(ctx, 'joined', homeOf(workspace))
  }
}

/** The workspace of the link, if this very session has accepted it: by the first of two clicks, or before it was opened once more. */
function acceptedHome(ctx: HttpContext): string | null {
  const [accepted, home] = wantsPage(ctx) ? ctx.session.get(ACCEPTED, []) : []
  return accepted === hashSecret(ctx.params.token) ? home : null
}
