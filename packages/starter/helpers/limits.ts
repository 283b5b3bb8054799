import app from '@adonisjs/core/services/app'
import { getActiveTest } from '@japa/runner'

import { authManager } from '#starter/helpers/passwords'
import { type ThrottleConfig, defineConfig } from '#kit/throttle/define_config'
import { LimiterThrottle } from '#kit/throttle/limiter_throttle'

/** Limits of shipped actions alone: a fork has to set those of its own in config/throttle.ts, and upstream's tests do not know them. */
export type SomeLimits = Partial<ThrottleConfig>

export const someLimits = (config: SomeLimits) => defineConfig(config as ThrottleConfig)

const ENOUGH = { attempts: 1_000_000, seconds: 60 }

/** Lifts the shipped limits for the whole run: every test calls from the same address. */
export async function liftLimits() {
  const manager = await authManager()
  const limiters = await app.container.make('limiter.manager')
  const limits = { perAddress: ENOUGH, perSubject: ENOUGH, perSubjectAndAddress: ENOUGH }
  const config = someLimits({
    failedLogins: limits,
    failedSecondFactors: limits,
    failedClientAuthentications: limits,
    passwordMails: { perAddress: ENOUGH },
    registrations: { perAddress: ENOUGH },
    verificationMails: { perAddress: ENOUGH, perSubject: ENOUGH },
    clientRegistrations: { perAddress: ENOUGH },
    clientDocuments: { perAddress: ENOUGH },
    deviceAuthorizations: { perAddress: ENOUGH },
    deviceUserCodes: limits,
    pushedRequests: { perAddress: ENOUGH },
    mcpCalls: { perSubject: ENOUGH },
    anonymousMcpCalls: { perAddress: ENOUGH, perSubjectAndAddress: ENOUGH },
  })
  manager.registerFeature('throttle', new LimiterThrottle(config, limiters))
}

/** Applies other limits, and counts from nothing, until the test ends. */
export async function limit(config: SomeLimits) {
  const manager = await authManager()
  const limiters = await app.container.make('limiter.manager')
  const original = manager.feature('throttle')!
  manager.registerFeature('throttle', new LimiterThrottle(someLimits(config), limiters))
  await limiters.clear(['memory'])
  getActiveTest()!.cleanup(async () => {
    manager.registerFeature('throttle', original)
    await limiters.clear(['memory'])
  })
}
