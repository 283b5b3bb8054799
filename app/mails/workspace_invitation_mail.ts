import { appUrl } from '#config/app'
import { WordedMail } from '#mails/worded_mail'

/** The link with which a person joins a workspace. */
export default class WorkspaceInvitationMail extends WordedMail {
  constructor(invitation: { email: string; token: string; workspace: string; days: number }) {
    super(invitation.email, {
      words: 'mails.workspace_invitation',
      values: { workspace: invitation.workspace, days: invitation.days },
      link: new URL(`/invitations/${invitation.token}`, appUrl).href,
    })
  }
}
