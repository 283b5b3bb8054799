import { WordedMail, linkTo } from '#mail/worded_mail'

export default class WorkspaceInvitationMail extends WordedMail {
  constructor(invitation: { email: string; token: string; workspace: string; days: number }) {
    super(invitation.email, {
      words: 'mails.workspace_invitation',
      values: { workspace: invitation.workspace, days: invitation.days },
      link: linkTo('invitations.show', [invitation.token]),
    })
  }
}
