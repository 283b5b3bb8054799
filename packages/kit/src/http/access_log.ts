import type { HttpContext } from '@adonisjs/core/http'

declare module '@adonisjs/core/http' {
  interface HttpRequest {
    /** The OAuth client that has authenticated itself with the request. */
    actingClient?: string
  }
}

/**
 * A line in the log for each request, when its response has ended. The route by its pattern: a path or query may hold a
 * secret, as the link of a password reset does. `request_id` is in every line of a request.
 */
export class AccessLog {
  /** What else is told of each request, with its milliseconds, when its response has ended. */
  readonly watchers: ((ctx: HttpContext, milliseconds: number) => void)[] = []

  /** @param isOn `accessLog` of config/app.ts */
  constructor(readonly isOn: boolean) {}

  watch(ctx: HttpContext): void {
    const isLogged = this.isOn && ctx.logger.isLevelEnabled('info')
    if (!isLogged && !this.watchers.length) {
      return
    }
    const start = performance.now()
    ctx.response.response.once('close', () => {
      const milliseconds = performance.now() - start
      this.watchers.forEach((watcher) => watcher(ctx, milliseconds))
      if (isLogged) {
        ctx.logger.info(describe(ctx, milliseconds), 'request')
      }
    })
  }
}

function describe(ctx: HttpContext, milliseconds: number) {
  /* Without AuthProvider there is none. */
  const { authenticator } = ctx as Partial<HttpContext>
  const { status, isAborted } = endOf(ctx)
  return {
    method: ctx.request.method(),
    /** null where no route matches: for files, and for what is not found. */
    route: ctx.route?.pattern ?? null,
    status,
    ms: Math.round(milliseconds * 10) / 10,
    user_id: authenticator?.userId ?? null,
    client_id: authenticator?.context?.clientId ?? ctx.request.actingClient ?? null,
    ...(isAborted && { aborted: true }),
  }
}

/** How a request ended: with which status, and whether the client went away before the answer was complete. */
export function endOf({ request, response: { response } }: HttpContext) {
  const { errored } = request.request.socket as { errored: NodeJS.ErrnoException | null }
  /* Node.js answers it past the response. */
  const isLate = errored?.code === 'ERR_HTTP_REQUEST_TIMEOUT' && !response.headersSent
  const status = isLate ? 408 : response.statusCode
  return { status, isAborted: !isLate && !response.writableFinished }
}
