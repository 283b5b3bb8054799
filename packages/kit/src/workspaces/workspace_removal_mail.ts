import { WordedMail } from '#mail/worded_mail'

export default class WorkspaceRemovalMail extends WordedMail {
  constructor(email: string, workspace: string) {
    super(email, { words: 'mails.workspace_removal', values: { workspace } })
  }
}
