import env from '#start/env'
import { defineConfig } from 'adonis-auth-kit/workspaces/define_config'

export default defineConfig({
  /** Whether whoever has chosen no team works in one common workspace, which visitors read; otherwise everybody has one of their own. */
  common: env.get('WORKSPACES_COMMON', false),

  /** Roles, from the one that may do least. `owner` is there and may do everything. Policies in app/policies ask for the abilities. */
  roles: {
    member: [
      // feature: posts
      'posts:write',
      // /feature
    ],
    admin: [
      // feature: posts
      'posts:write',
      'posts:manage',
      // /feature
      'workspace:update',
      'providers:manage',
      'members:manage',
      'invitations:manage',
      'log:read',
    ],
  },

  /** Role of a person in the common workspace. */
  commonRole: 'member',

  /** Days that an invitation works. */
  invitationDays: 7,

  /** Days in which owners can restore a deleted workspace. */
  restoreDays: 30,

  /** Name of the claim with which introspection and ID tokens tell the workspace; null for none. */
  claim: null,

  /** Models with the mixin `BelongsToWorkspace`, those that others refer to last. */
  models: [
    // feature: posts
    { load: () => import('#models/comment'), partOf: { table: 'posts', key: 'post_id' } },
    { load: () => import('#models/post') },
    // /feature
  ],

  /** Delivers an invitation. */
  async invite(invitation) {
    const { default: mail } = await import('@adonisjs/mail/services/main')
    const { default: WorkspaceInvitationMail } =
      await import('adonis-auth-kit/workspaces/workspace_invitation_mail')
    await mail.send(new WorkspaceInvitationMail(invitation))
  },

  /** Tells a person that they were removed. */
  async removed({ user, workspace }) {
    const { default: mail } = await import('@adonisjs/mail/services/main')
    const { default: WorkspaceRemovalMail } =
      await import('adonis-auth-kit/workspaces/workspace_removal_mail')
    await mail.send(new WorkspaceRemovalMail(user.email, workspace))
  },
})
