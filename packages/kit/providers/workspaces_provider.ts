import { HttpContext } from '@adonisjs/core/http'

import { FeatureProvider } from '#auth/feature_provider'
import { rules, workspaceOf } from '#workspaces/current_workspace'
import { COMMON_ID, defineConfig } from '#workspaces/define_config'
import { Workspaces } from '#workspaces/workspaces'

/** Workspaces: whose rows a request is about, for people who work in teams. */
export default class WorkspacesProvider extends FeatureProvider {
  async boot() {
    const manager = await this.make('auth_manager')
    const config = this.config('workspaces', defineConfig)
    const workspaces = new Workspaces(config, manager)
    manager.registerFeature('workspaces', workspaces)
    manager.registerFeature('credentialContexts', workspaces)
    rules.resolve = (ctx) => workspaces.resolve(ctx)
    rules.hold = (...held) => workspaces.hold(...held)
    rules.outside = config.common ? COMMON_ID : null
    HttpContext.getter('workspace', function (this: HttpContext) {
      return workspaceOf(this)
    })
    await this.purge('deleted workspaces', () => workspaces.purge(), 3600)
  }
}
