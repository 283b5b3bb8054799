import { safeEqual, type Secret } from '@adonisjs/core/helpers'
import type { HttpRouterService } from '@adonisjs/core/types'

import { InvalidToken } from '#auth/errors'
import { clientEndpoint } from '#http/route_marks'
import type { Metrics } from '#metrics/metrics'
import { hashSecret } from '#security/secrets'

const BEARER = /^Bearer +(\S+) *$/i

export function metricsRoute(
  router: HttpRouterService,
  { registry }: Metrics,
  token: Secret<string>
): void {
  const expected = hashSecret(token.release())
  router
    .get('/metrics', async ({ request, response }) => {
      const [, sent = ''] = BEARER.exec(request.header('authorization') ?? '') ?? []
      if (!safeEqual(hashSecret(sent), expected)) {
        throw new InvalidToken('The token of the metrics is missing or wrong.', sent === '')
      }
      const text = await registry.metrics()
      return response
        .header('Content-Type', registry.contentType)
        .header('Cache-Control', 'no-store')
        .send(text)
    })
    .use(clientEndpoint)
}
