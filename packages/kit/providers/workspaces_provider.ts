import { HttpContext } from '@adonisjs/core/http'

import { FeatureProvider } from '#auth/feature_provider'
import { registered, workspaceOf } from '#workspaces/current_workspace'
import { defineConfig } from '#workspaces/define_config'
import { Workspaces } from '#workspaces/workspaces'

/** Workspaces: whose rows a request is about, for people who work in teams. */
export default class WorkspacesProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const workspaces = new Workspaces(this.config('workspaces', defineConfig), manager)
    manager.registerFeature('workspaces', workspaces)
    manager.registerFeature('credentialContexts', workspaces)
    registered.workspaces = workspaces
    HttpContext.getter('workspace', function (this: HttpContext) {
      return workspaceOf(this)
    })
    await this.purge('deleted workspaces', () => workspaces.purge(), 3600)
  }
}
