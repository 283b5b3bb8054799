import { markResolved, withDefaults } from '#config/checks'

/** The settings of `config/openapi.ts`. */
export interface OpenApiConfig {
  /** Whether `GET /openapi.json` answers. Default false. */
  served?: boolean
  /** The version of the interface, as the description has it. Default `1.0.0`. */
  version?: string
}

/** @throws {InvalidArgumentsException} for an unknown setting */
export function defineConfig(config: OpenApiConfig = {}): Required<OpenApiConfig> {
  return markResolved(withDefaults('OpenApiConfig', config, { served: false, version: '1.0.0' }))
}
