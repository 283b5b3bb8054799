import type { ThrottledAction } from '#auth/throttle'
import { positiveNumber } from '#support/config_checks'

/** So many within so many seconds, counted from the first; then none until they are over. */
export interface Limit {
  attempts: number
  seconds: number
}

export interface ActionLimits {
  /** From one address, whoever they are about; null for no limit. */
  perAddress?: Limit | null
  /** From one address about one e-mail or client; null for no limit. */
  perSubjectAndAddress?: Limit | null
}

/** The settings of `config/throttle.ts`. An action that is left out has the default limits. */
export type ThrottleConfig = Partial<Record<ThrottledAction, ActionLimits>>

export type ResolvedThrottleConfig = Record<ThrottledAction, Required<ActionLimits>>

const QUARTER_OF_AN_HOUR = 900
const HOUR = 3600

const DEFAULTS: ResolvedThrottleConfig = {
  failedLogins: {
    perAddress: { attempts: 5000, seconds: QUARTER_OF_AN_HOUR },
    perSubjectAndAddress: { attempts: 500, seconds: QUARTER_OF_AN_HOUR },
  },
  failedClientAuthentications: {
    perAddress: { attempts: 5000, seconds: QUARTER_OF_AN_HOUR },
    perSubjectAndAddress: { attempts: 500, seconds: QUARTER_OF_AN_HOUR },
  },
  passwordMails: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubjectAndAddress: null,
  },
}

/**
 * Fills in the default limits.
 *
 * @throws {InvalidArgumentsException} for a limit that is not a whole number above 0
 */
export function defineConfig(config: ThrottleConfig = {}): ResolvedThrottleConfig {
  const resolved = {} as ResolvedThrottleConfig
  for (const [action, defaults] of Object.entries(DEFAULTS)) {
    const limits = { ...defaults, ...config[action as ThrottledAction] }
    Object.entries(limits).forEach(([scope, limit]) => assertUsable(`${action}.${scope}`, limit))
    resolved[action as ThrottledAction] = limits
  }
  return resolved
}

function assertUsable(name: string, limit: Limit | null) {
  if (limit) {
    for (const key of ['attempts', 'seconds'] as const) {
      positiveNumber('ThrottleConfig', `${name}.${key}`, limit[key], { whole: true })
    }
  }
}
