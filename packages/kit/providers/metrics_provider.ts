import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import { assertAuthProvider } from '#auth/core_provider'
import { InvalidToken } from '#auth/errors'
import { Purges } from '#database/purges'
import { AccessLog } from '#http/access_log'
import { clientEndpoint } from '#http/route_marks'
import { defineConfig } from '#metrics/define_config'
import { KitProvider } from '#process/kit_provider'
import { hashSecret } from '#security/secrets'

const BEARER = /^Bearer +(\S+) *$/i

/** `GET /metrics` (Prometheus). Without `token` of config/metrics.ts nothing of it is loaded. Needs AuthProvider. */
export default class MetricsProvider extends KitProvider {
  async start() {
    const { token } = this.config('metrics', defineConfig)
    if (!token || !['web', 'test'].includes(this.app.getEnvironment())) {
      return
    }
    assertAuthProvider(this.app, 'MetricsProvider')
    const { Metrics, listen, watchHashes, watchPools, watchPurges } =
      await import('#metrics/metrics')
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
    const { registry } = metrics
    const expected = hashSecret(token.release())
    const show = async ({ request, response }: HttpContext) => {
      const [, sent = ''] = BEARER.exec(request.header('authorization') ?? '') ?? []
      if (!safeEqual(hashSecret(sent), expected)) {
        throw new InvalidToken('The token of the metrics is missing or wrong.', sent === '')
      }
      const text = await registry.metrics()
      response.header('Content-Type', registry.contentType).header('Cache-Control', 'no-store')
      return response.send(text)
    }
    const router = await container.make('router')
    router.get('/metrics', show).use(clientEndpoint)
  }
}
