import type { CorsConfig } from '@adonisjs/cors/types'
import type { HttpContext } from '@adonisjs/core/http'

import type { AuthManager } from '#auth/manager'

/** Which origins may send forms to this application: its own, and those that its settings name. */
export class OriginRules {
  readonly #manager: Pick<AuthManager, 'feature'>
  readonly #appOrigin: string | null
  readonly #cors: CorsConfig | undefined

  /**
   * @param options.appUrl where people reach the application
   * @param options.cors the settings of `config/cors.ts`
   */
  constructor(
    manager: Pick<AuthManager, 'feature'>,
    options: { appUrl?: string; cors?: CorsConfig } = {}
  ) {
    this.#manager = manager
    this.#appOrigin = URL.parse(options.appUrl ?? '')?.origin ?? null
    this.#cors = options.cors
  }

  /** Whether this is the origin of APP_URL, or the host that the request was sent to. */
  isOwn(origin: string, { request }: HttpContext): boolean {
    if (origin === this.#appOrigin) {
      return true
    }
    const url = URL.parse(origin)
    const host = request.host()
    return url?.origin === origin && url.host === URL.parse(`${url.protocol}//${host}`)?.host
  }

  /** Whether STATEFUL_ORIGINS or CORS name this origin. Settings that take any origin name none. */
  allows(origin: string, ctx: HttpContext): boolean {
    return Boolean(
      this.#manager.feature('spa')?.origins.includes(origin) || this.#allowedByCors(origin, ctx)
    )
  }

  #allowedByCors(origin: string, ctx: HttpContext) {
    const { enabled, origin: setting } = this.#cors ?? { enabled: false, origin: false }
    if (!(typeof enabled === 'function' ? enabled(ctx) : enabled)) {
      return false
    }
    if (typeof setting === 'function') {
      const answer = setting(origin, ctx)
      return answer === true || names(answer, origin)
    }
    return names(setting, origin)
  }
}

function names(setting: boolean | string | string[], origin: string) {
  const named = typeof setting === 'string' ? setting.split(',') : setting
  return Array.isArray(named) && named.includes(origin)
}
