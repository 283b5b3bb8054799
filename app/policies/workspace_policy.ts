import { BasePolicy } from '@adonisjs/bouncer'
import type { AuthorizerResponse } from '@adonisjs/bouncer/types'

import type User from '#models/user'
import type { CurrentWorkspace } from 'adonis-auth-kit/workspaces/current_workspace'

/** What a person may do in the workspace that they work in: what their role's abilities say (config/workspaces.ts). */
export default class WorkspacePolicy extends BasePolicy {
  update(_user: User, workspace: CurrentWorkspace): AuthorizerResponse {
    return workspace.can('workspace:update')
  }

  manageMembers(_user: User, workspace: CurrentWorkspace): AuthorizerResponse {
    return workspace.can('members:manage')
  }

  invite(_user: User, workspace: CurrentWorkspace): AuthorizerResponse {
    return workspace.can('invitations:manage')
  }

  readLog(_user: User, workspace: CurrentWorkspace): AuthorizerResponse {
    return workspace.can('log:read')
  }

  transfer(_user: User, workspace: CurrentWorkspace): AuthorizerResponse {
    return workspace.can('workspace:transfer')
  }

  delete(_user: User, workspace: CurrentWorkspace): AuthorizerResponse {
    return workspace.can('workspace:delete')
  }
}
