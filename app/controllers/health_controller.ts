import type { HttpContext } from '@adonisjs/core/http'

import { describeArrival } from 'adonis-auth-kit/doctor'
import { healthChecks } from '#start/health'

export default class HealthController {
  /**
   * Whether this process is running. It asks nobody else: restarting it mends no
   * database. "node ace doctor" is told how its request has arrived.
   */
  async live(ctx: HttpContext) {
    const arrival = describeArrival(ctx)
    return ctx.response
      .header('Cache-Control', 'no-store')
      .ok({ status: 'ok', ...(arrival && { arrival }) })
  }

  /** Whether this process can take requests: 200, or 503. What failed is named, and not why. */
  async show({ response }: HttpContext) {
    const report = await healthChecks.run()
    const checks = report.checks.map(({ name, status }) => ({ name, status }))
    return response
      .status(report.isHealthy ? 200 : 503)
      .header('Cache-Control', 'no-store')
      .send({ status: report.status, checks })
  }
}
