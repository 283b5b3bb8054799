import { Result } from '@adonisjs/core/health'
import type { HealthCheckContract, HealthCheckResult } from '@adonisjs/core/types/health'

/**
 * A check that fails without an answer in time: a server that is paused, or a network that swallows
 * every packet, makes no error for much longer.
 * @param patience milliseconds, fewer than a load balancer waits
 */
export function timely(check: HealthCheckContract, patience = 3000): HealthCheckContract {
  const late = () =>
    new Promise<HealthCheckResult>((resolve) => {
      setTimeout(() => resolve(Result.failed('It does not answer in time')), patience).unref()
    })
  return { name: check.name, run: () => Promise.race([check.run(), late()]) }
}
