import { assertArgument, markResolved, withDefaults } from '#config/checks'

/** The settings of `config/tracing.ts`. */
export interface TracingConfig {
  /** The address of a collector that takes OTLP over HTTP, e.g. `http://localhost:4318`. Without it nothing is traced. */
  endpoint?: string | null
  /** The part of the requests that is traced, from 0 to 1. Default 1. */
  ratio?: number
}

/** @throws {InvalidArgumentsException} for an unknown setting, a malformed address or ratio */
export function defineConfig(config: TracingConfig = {}) {
  const defaults = { endpoint: null, ratio: 1 }
  const settings = withDefaults('TracingConfig', config, defaults, { except: ['ratio'] })
  const { endpoint, ratio } = settings
  const fault =
    'TracingConfig: "endpoint" must be the http or https address of a collector, e.g. "http://localhost:4318"'
  assertArgument(/^(https?:\/\/[^?#]+)?$/.test(endpoint ?? ''), fault)
  assertArgument(ratio >= 0 && ratio <= 1, 'TracingConfig: "ratio" must be between 0 and 1')
  return markResolved({ endpoint: endpoint?.replace(/\/+$/, '') || null, ratio })
}
