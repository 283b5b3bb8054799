import { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/assert_auth_provider'
import { resolveConfig } from '#config/file'
import { Purges } from '#database/purges'
import { rules, workspaceOf } from '#workspaces/current_workspace'
import { COMMON_ID, defineConfig } from '#workspaces/define_config'
import { Workspaces } from '#workspaces/workspaces'

/** Workspaces: whose rows a request is about, for people who work in teams. */
export default class WorkspacesProvider {
  constructor(protected app: ApplicationService) {}

  register() {
    assertAuthProvider(this.app, 'WorkspacesProvider')
  }

  async boot() {
    const manager = await this.app.container.make('auth_manager')
    const config = resolveConfig(this.app.config.get('workspaces'), defineConfig)
    const workspaces = new Workspaces(config, manager)
    manager.registerFeature('workspaces', workspaces)
    manager.registerFeature('credentialContexts', workspaces)
    rules.resolve = (ctx) => workspaces.resolve(ctx)
    rules.outside = config.common ? COMMON_ID : null
    HttpContext.getter('workspace', function (this: HttpContext) {
      return workspaceOf(this)
    })
    const purges = await this.app.container.make(Purges)
    purges.add({ name: 'deleted workspaces', interval: 3600, run: () => workspaces.purge() })
  }
}
