import type { ThrottledAction } from '#auth/throttle'
import { positiveNumber } from '#support/config_checks'

/** At most `attempts` per window of `seconds`; the window starts at the first attempt. */
export interface Limit {
  attempts: number
  seconds: number
}

export interface ActionLimits {
  /** From one address, whichever e-mail or client they name; null for no limit. */
  perAddress?: Limit | null
  /** About one e-mail or client, from all addresses together; null for no limit. */
  perSubject?: Limit | null
  /** From one address about one e-mail or client; null for no limit. */
  perSubjectAndAddress?: Limit | null
}

/** The settings of `config/throttle.ts`. An action that is left out has the default limits. */
export type ThrottleConfig = Partial<Record<ThrottledAction, ActionLimits>>

export type ResolvedThrottleConfig = Record<ThrottledAction, Required<ActionLimits>>

const MINUTE = 60
const HOUR = 3600

const DEFAULTS: ResolvedThrottleConfig = {
  failedLogins: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubject: { attempts: 100, seconds: HOUR },
    perSubjectAndAddress: { attempts: 10, seconds: MINUTE },
  },
  failedClientAuthentications: {
    perAddress: { attempts: 10_000, seconds: HOUR },
    perSubject: null,
    perSubjectAndAddress: { attempts: 100, seconds: MINUTE },
  },
  passwordMails: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubject: null,
    perSubjectAndAddress: null,
  },
  registrations: {
    perAddress: { attempts: 100, seconds: HOUR },
    perSubject: null,
    perSubjectAndAddress: null,
  },
}

/**
 * Fills in the default limits. Failed logins keep an account to 100 guesses an
 * hour whatever the number of attackers (NIST SP 800-63B §3.2.2).
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
