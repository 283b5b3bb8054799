import type { ThrottledAction } from '#auth/throttle'
import { type KeysOf, assertKnownKeys, positiveNumber } from '#config/checks'
import { markResolved } from '#config/file'

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

/** Actions with default limits. */
type ShippedAction =
  | 'failedLogins'
  | 'failedSecondFactors'
  | 'failedClientAuthentications'
  | 'passwordMails'
  | 'registrations'
  | 'verificationMails'
  | 'clientRegistrations'
  | 'clientDocuments'
  | 'pushedRequests'
  | 'deviceAuthorizations'
  | 'deviceUserCodes'
  | 'workspaces'
  | 'mcpCalls'
  | 'anonymousMcpCalls'

/** The settings of `config/throttle.ts`. A shipped action that is left out has the default limits. */
export type ThrottleConfig = Partial<Record<ShippedAction, ActionLimits>> &
  Record<Exclude<ThrottledAction, ShippedAction>, ActionLimits>

export type ResolvedThrottleConfig = Record<ThrottledAction, Required<ActionLimits>>

const MINUTE = 60
const HOUR = 3600

const NONE: Required<ActionLimits> = {
  perAddress: null,
  perSubject: null,
  perSubjectAndAddress: null,
}

const DEFAULTS: Record<ShippedAction, Required<ActionLimits>> = {
  failedLogins: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubject: { attempts: 100, seconds: HOUR },
    perSubjectAndAddress: { attempts: 10, seconds: MINUTE },
  },
  failedSecondFactors: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubject: { attempts: 20, seconds: HOUR },
    perSubjectAndAddress: { attempts: 5, seconds: MINUTE },
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
  verificationMails: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubject: { attempts: 6, seconds: HOUR },
    perSubjectAndAddress: null,
  },
  clientRegistrations: {
    perAddress: { attempts: 100, seconds: HOUR },
    perSubject: null,
    perSubjectAndAddress: null,
  },
  clientDocuments: {
    perAddress: { attempts: 20, seconds: MINUTE },
    perSubject: null,
    perSubjectAndAddress: null,
  },
  pushedRequests: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubject: null,
    perSubjectAndAddress: null,
  },
  deviceAuthorizations: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubject: null,
    perSubjectAndAddress: null,
  },
  deviceUserCodes: {
    perAddress: { attempts: 100, seconds: HOUR },
    perSubject: { attempts: 10, seconds: HOUR },
    perSubjectAndAddress: null,
  },
  workspaces: {
    perAddress: { attempts: 1000, seconds: HOUR },
    perSubject: { attempts: 60, seconds: HOUR },
    perSubjectAndAddress: null,
  },
  mcpCalls: {
    perAddress: null,
    perSubject: { attempts: 600, seconds: MINUTE },
    perSubjectAndAddress: null,
  },
  anonymousMcpCalls: {
    perAddress: { attempts: 6000, seconds: MINUTE },
    perSubject: null,
    perSubjectAndAddress: { attempts: 600, seconds: MINUTE },
  },
}

const ACTIONS: KeysOf<typeof DEFAULTS> = {
  failedLogins: true,
  failedSecondFactors: true,
  failedClientAuthentications: true,
  passwordMails: true,
  registrations: true,
  verificationMails: true,
  clientRegistrations: true,
  clientDocuments: true,
  pushedRequests: true,
  deviceAuthorizations: true,
  deviceUserCodes: true,
  workspaces: true,
  mcpCalls: true,
  anonymousMcpCalls: true,
}
const KINDS: KeysOf<ActionLimits> = {
  perAddress: true,
  perSubject: true,
  perSubjectAndAddress: true,
}
const LIMIT: KeysOf<Limit> = { attempts: true, seconds: true }

/**
 * Fills in the default limits. Failed logins keep an account to 100 guesses an
 * hour whatever the number of attackers (NIST SP 800-63B §3.2.2).
 *
 * @throws {InvalidArgumentsException} for an unknown setting, or a limit that is not a whole number above 0
 */
export function defineConfig(config = {} as ThrottleConfig): ResolvedThrottleConfig {
  assertKnownKeys('ThrottleConfig', config, ACTIONS, { open: true })

  const resolved: Record<string, Required<ActionLimits>> = { ...DEFAULTS }
  for (const [action, limits] of Object.entries<ActionLimits | undefined>(config)) {
    assertKnownKeys(`ThrottleConfig "${action}"`, limits ?? {}, KINDS)
    resolved[action] = { ...(resolved[action] ?? NONE), ...limits }
    Object.entries(resolved[action]).forEach(([kind, limit]) =>
      assertUsable(`${action}.${kind}`, limit)
    )
  }
  return markResolved(resolved as ResolvedThrottleConfig)
}

function assertUsable(name: string, limit: Limit | null) {
  if (limit) {
    assertKnownKeys(`ThrottleConfig "${name}"`, limit, LIMIT)
    for (const key of ['attempts', 'seconds'] as const) {
      positiveNumber('ThrottleConfig', `${name}.${key}`, limit[key], { whole: true })
    }
  }
}
