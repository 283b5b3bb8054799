import { Secret } from '@adonisjs/core/helpers'

import { assertArgument, markResolved, withDefaults } from '#config/checks'

/** The settings of `config/metrics.ts`. */
export interface MetricsConfig {
  /** The Bearer token of whoever reads `GET /metrics`: 32 characters or more. Without it nothing is counted. */
  token?: string | Secret<string> | null
}

const LENGTH = 32

/** @throws {InvalidArgumentsException} for an unknown setting, or a short token */
export function defineConfig(config: MetricsConfig = {}): { token: Secret<string> | null } {
  const { token } = withDefaults('MetricsConfig', config, { token: null })
  const text = token instanceof Secret ? token.release() : token
  const fault = `MetricsConfig: "token" must have ${LENGTH} characters or more. Make one with "openssl rand -hex 32"`
  assertArgument(!text || text.length >= LENGTH, fault)
  return markResolved({ token: text ? new Secret(text) : null })
}
