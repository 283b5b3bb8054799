import { WorkspaceInvitationSchema } from '#database/schema'

export default class WorkspaceInvitation extends WorkspaceInvitationSchema {}
