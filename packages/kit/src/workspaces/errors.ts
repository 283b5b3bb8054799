import { Exception } from '@adonisjs/core/exceptions'

/** There is no such workspace, or the caller is not in it: nobody learns which (404). */
export class WorkspaceNotFound extends Exception {
  static override status = 404
  static override code = 'E_WORKSPACE_NOT_FOUND'
  static override message = 'There is no such workspace.'
}

/** The caller's role lacks an ability (403). */
export class RoleRefused extends Exception {
  static override status = 403
  static override code = 'E_ROLE'
  static override message = 'Your role does not allow this.'
}

/** A workspace with an active owner is never left without one (409). */
export class LastOwner extends Exception {
  static override status = 409
  static override code = 'E_LAST_OWNER'
  static override message = 'A workspace needs an active owner: make somebody else one first.'
}

/** A workspace of one person can be neither shared, left nor deleted (409). */
export class PersonalWorkspace extends Exception {
  static override status = 409
  static override code = 'E_PERSONAL_WORKSPACE'
  static override message = 'This workspace is of one person: create one to share.'
}

/** An invitation that is unknown, used, revoked or expired, or for another address (404). */
export class InvitationNotFound extends Exception {
  static override status = 404
  static override code = 'E_INVITATION_NOT_FOUND'
  static override message = 'This invitation does not work (any more), or is for another address.'
}
