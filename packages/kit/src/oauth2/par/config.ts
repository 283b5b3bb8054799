import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { type KeysOf, assertKnownKeys } from '#config/checks'

/** Authorization requests that clients push before the browser comes (RFC 9126). */
export interface PushedRequestsConfig {
  /** Whether clients can push requests to `POST /oauth/par`. Default false. */
  enabled?: boolean
  /** Whether every client has to; a client alone can be registered so. Default false. */
  required?: boolean
}

const SETTINGS: KeysOf<PushedRequestsConfig> = { enabled: true, required: true }

/**
 * Fills in the defaults.
 *
 * @throws {InvalidArgumentsException} for an unknown setting, and for requests that are required while nobody can push one
 */
export function resolvePushedRequests(
  config: PushedRequestsConfig = {}
): Required<PushedRequestsConfig> {
  assertKnownKeys('PushedRequestsConfig', config, SETTINGS)
  const { enabled = false, required = false } = config
  if (required && !enabled) {
    throw new InvalidArgumentsException(
      'PushedRequestsConfig: "required" needs "enabled": no client could authorize otherwise'
    )
  }
  return { enabled, required }
}
