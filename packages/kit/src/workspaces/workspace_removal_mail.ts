import { WordedMail } from '#mail/worded_mail'

/** Tells a person that they are no longer in a workspace. */
export default class WorkspaceRemovalMail extends WordedMail {
  constructor(email: string, workspace: string) {
    super(email, { words: 'mails.workspace_removal', values: { workspace } })
  }
}
