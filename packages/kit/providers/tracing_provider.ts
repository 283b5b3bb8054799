import { KitProvider } from '#process/kit_provider'
import { traceWith } from '#process/spans'
import { defineConfig } from '#tracing/define_config'

/**
 * Traces (OpenTelemetry). Without `endpoint` of config/tracing.ts nothing of it is loaded. Stands before AuthProvider:
 * providers end in reverse, and what goes on after replies is traced, too.
 */
export default class TracingProvider extends KitProvider {
  #end: () => Promise<void> = async () => {}

  async start() {
    const { endpoint, ratio } = this.config('tracing', defineConfig)
    if (!endpoint || !['web', 'test'].includes(this.app.getEnvironment())) {
      return
    }
    const { startSdk, traceMails, traceStatements, tracing } = await import('#tracing/tracing')
    const service = this.app.config.get<string>('app.appName', 'adonisjs')
    this.#end = startSdk({ endpoint, ratio, service })
    traceWith(tracing)
    if (this.app.container.hasBinding('mail.manager')) {
      traceMails()
    }
    if (this.app.container.hasBinding('lucid.db')) {
      const db = await this.make('lucid.db')
      traceStatements(db)
      const emitter = await this.make('emitter')
      emitter.on('db:connection:connect', () => traceStatements(db))
    }
  }

  /** Spans that wait are sent; a collector that does not answer delays the end by some seconds. */
  async shutdown() {
    traceWith(null)
    await this.#end().catch(() => {})
  }
}
