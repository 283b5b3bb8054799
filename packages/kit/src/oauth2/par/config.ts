import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { withDefaults } from '#config/checks'

/** Authorization requests that clients push before the browser comes (RFC 9126). */
export interface PushedRequestsConfig {
  /** Whether clients can push requests to `POST /oauth/par`. Default false. */
  enabled?: boolean
  /** Whether every client has to; a client alone can be registered so. Default false. */
  required?: boolean
}

/** @throws {InvalidArgumentsException} for an unknown setting, and for requests that are required while nobody can push one */
export function resolvePushedRequests(
  config: PushedRequestsConfig = {}
): Required<PushedRequestsConfig> {
  const resolved = withDefaults('PushedRequestsConfig', config, { enabled: false, required: false })
  if (resolved.required && !resolved.enabled) {
    throw new InvalidArgumentsException(
      'PushedRequestsConfig: "required" needs "enabled": no client could authorize otherwise'
    )
  }
  return resolved
}
