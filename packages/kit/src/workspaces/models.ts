import {
  WorkspaceInvitationSchema,
  WorkspaceMembershipSchema,
  WorkspaceSchema,
} from '#database/schema'

export class Workspace extends WorkspaceSchema {}

export class WorkspaceInvitation extends WorkspaceInvitationSchema {}

export class WorkspaceMembership extends WorkspaceMembershipSchema {}
