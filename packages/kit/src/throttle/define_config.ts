import type { ThrottledAction } from '#auth/throttle'
import { assertKnownKeys, type KeysOf, markResolved, positiveNumber } from '#config/checks'

/** At most `attempts` per window of `seconds`; the window starts at the first attempt. */
export type Limit = { attempts: number; seconds: number }

export interface ActionLimits {
  /** From one address, whichever e-mail or client they name; null for no limit. */
  perAddress?: Limit | null
  /** About one e-mail or client, from all addresses together; null for no limit. */
  perSubject?: Limit | null
  /** From one address about one e-mail or client; null for no limit. */
  perSubjectAndAddress?: Limit | null
}

const NONE = { perAddress: null, perSubject: null, perSubjectAndAddress: null }

const hourly = (attempts: number): Limit => ({ attempts, seconds: 3600 })
const minutely = (attempts: number): Limit => ({ attempts, seconds: 60 })

const DEFAULTS = {
  failedLogins: {
    perAddress: hourly(1000),
    perSubject: hourly(100),
    perSubjectAndAddress: minutely(10),
  },
  failedSecondFactors: {
    perAddress: hourly(1000),
    perSubject: hourly(20),
    perSubjectAndAddress: minutely(5),
  },
  failedClientAuthentications: { perAddress: hourly(10_000), perSubjectAndAddress: minutely(100) },
  passwordMails: { perAddress: hourly(1000) },
  registrations: { perAddress: hourly(100) },
  verificationMails: { perAddress: hourly(1000), perSubject: hourly(6) },
  clientRegistrations: { perAddress: hourly(100) },
  clientDocuments: { perAddress: minutely(20) },
  pushedRequests: { perAddress: hourly(1000) },
  deviceAuthorizations: { perAddress: hourly(1000) },
  deviceUserCodes: { perAddress: hourly(100), perSubject: hourly(10) },
  workspaces: { perAddress: hourly(1000), perSubject: hourly(60) },
  mcpCalls: { perSubject: minutely(600) },
  anonymousMcpCalls: { perAddress: minutely(6000), perSubjectAndAddress: minutely(600) },
} satisfies Record<string, ActionLimits>

type ShippedAction = keyof typeof DEFAULTS

/** The settings of `config/throttle.ts`. A shipped action that is left out has the default limits. */
export type ThrottleConfig = Partial<Record<ShippedAction, ActionLimits>> &
  Record<Exclude<ThrottledAction, ShippedAction>, ActionLimits>

export type ResolvedThrottleConfig = Record<ThrottledAction, Required<ActionLimits>>

/**
 * Failed logins keep an account to 100 guesses an hour whatever the number of attackers (NIST SP
 * 800-63B §3.2.2). @throws {InvalidArgumentsException} for an unknown setting, or an unusable limit
 */
export function defineConfig(config = {} as ThrottleConfig): ResolvedThrottleConfig {
  assertKnownKeys('ThrottleConfig', config, DEFAULTS, { open: true })
  const resolved: Record<string, Required<ActionLimits>> = {}
  for (const action of Object.keys({ ...DEFAULTS, ...config }) as ShippedAction[]) {
    const limits: ActionLimits = config[action] ?? {}
    assertKnownKeys(`ThrottleConfig "${action}"`, limits, NONE)
    /* One that an expression has left undefined is not turned off. */
    const given = Object.entries(limits).filter(([, limit]) => limit !== undefined)
    resolved[action] = { ...NONE, ...DEFAULTS[action], ...Object.fromEntries(given) }
    for (const [kind, limit] of Object.entries(resolved[action])) {
      limit !== null && assertUsable(`${action}.${kind}`, limit)
    }
  }
  return markResolved(resolved as ResolvedThrottleConfig)
}

function assertUsable(name: string, limit: Limit) {
  const known: KeysOf<Limit> = { attempts: true, seconds: true }
  assertKnownKeys(`ThrottleConfig "${name}"`, limit, known)
  for (const key of ['attempts', 'seconds'] as const) {
    positiveNumber('ThrottleConfig', `${name}.${key}`, limit[key], { whole: true })
  }
}
