import type { ApplicationService } from '@adonisjs/core/types'

import { assertAuthProvider } from '#auth/core_provider'
import { resolveConfig } from '#config/file'
import { Purges } from '#database/purges'
import { AccessLog } from '#http/access_log'
import { defineConfig } from '#metrics/define_config'

/** `GET /metrics` (Prometheus). Without `token` of config/metrics.ts nothing of it is loaded. Needs AuthProvider. */
export default class MetricsProvider {
  constructor(protected app: ApplicationService) {}

  async start() {
    const { token } = resolveConfig(this.app.config.get('metrics'), defineConfig)
    if (!token || !['web', 'test'].includes(this.app.getEnvironment())) {
      return
    }
    assertAuthProvider(this.app, 'MetricsProvider')
    const { Metrics } = await import('#metrics/metrics')
    const { listen, watchHashes, watchPools, watchPurges } = await import('#metrics/listeners')
    const { metricsRoute } = await import('#metrics/routes')
    const { container } = this.app
    const metrics = new Metrics()
    container.bindValue(Metrics, metrics)
    listen(metrics, await container.make('emitter'), await container.make('auth_manager'))
    const { watchers } = await container.make(AccessLog)
    watchers.push((ctx, milliseconds) => metrics.request(ctx, milliseconds))
    watchPurges(metrics, await container.make(Purges))
    watchHashes(metrics)
    if (container.hasBinding('lucid.db')) {
      watchPools(metrics, await container.make('lucid.db'))
    }
    metricsRoute(await container.make('router'), metrics, token)
  }
}
