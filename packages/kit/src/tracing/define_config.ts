import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { type KeysOf, assertKnownKeys } from '#config/checks'
import { markResolved } from '#config/file'

/** The settings of `config/tracing.ts`. */
export interface TracingConfig {
  /** The address of a collector that takes OTLP over HTTP, e.g. `http://localhost:4318`. Without it nothing is traced. */
  endpoint?: string | null
  /** The part of the requests that is traced, from 0 to 1. Default 1. */
  ratio?: number
}

const SETTINGS: KeysOf<TracingConfig> = { endpoint: true, ratio: true }

/**
 * Fills in the defaults of the settings of tracing.
 *
 * @throws {InvalidArgumentsException} for an unknown setting, a malformed address, or a ratio that is not between 0 and 1
 */
export function defineConfig(config: TracingConfig = {}): {
  endpoint: string | null
  ratio: number
} {
  assertKnownKeys('TracingConfig', config, SETTINGS)
  const { endpoint, ratio = 1 } = config
  if (endpoint && !/^https?:\/\/[^?#]+$/.test(endpoint)) {
    throw new InvalidArgumentsException(
      'TracingConfig: "endpoint" must be the http or https address of a collector, e.g. "http://localhost:4318"'
    )
  }
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new InvalidArgumentsException('TracingConfig: "ratio" must be between 0 and 1')
  }
  return markResolved({ endpoint: endpoint?.replace(/\/+$/, '') || null, ratio })
}
