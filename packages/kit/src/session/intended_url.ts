import type { HttpContext } from '@adonisjs/core/http'
import { isValidRedirectUrl } from '@adonisjs/core/http/helpers'

import { cookieAttributes } from '#session/cookies'
import type { ResolvedSessionConfig } from '#session/define_config'

const COOKIE = 'intended_url'

/** A person needs a while to sign in. */
const LIFETIME_SECONDS = 1800

/** Characters. A browser drops a cookie of more than 4 KiB, and signing adds a third. */
const MAX_LENGTH = 2500

/**
 * Where a visitor wanted to go before the sign-in page came in between. It is
 * kept in a signed cookie of its own, so that a visitor who only looks at a
 * protected page leaves no session behind.
 */
export class IntendedUrl {
  readonly #ctx: HttpContext
  readonly #config: ResolvedSessionConfig
  #url: string | null

  constructor(ctx: HttpContext, config: ResolvedSessionConfig) {
    this.#ctx = ctx
    this.#config = config
    const url = ctx.request.cookie(COOKIE)
    this.#url = isOwnPath(url) ? url : null
  }

  get(): string | null {
    return this.#url
  }

  /** Ignores what is not a path of this application: a login never leads to another site. */
  set(url: string): void {
    if (isOwnPath(url) && url.length <= MAX_LENGTH) {
      this.#url = url
      this.#ctx.response.cookie(COOKIE, url, {
        ...cookieAttributes(this.#config),
        httpOnly: true,
        maxAge: LIFETIME_SECONDS,
      })
    }
  }

  clear(): void {
    if (this.#url !== null) {
      this.#url = null
      this.#ctx.response.clearCookie(COOKIE, {
        ...cookieAttributes(this.#config),
        httpOnly: true,
      })
    }
  }
}

function isOwnPath(url: unknown): url is string {
  return typeof url === 'string' && url.startsWith('/') && isValidRedirectUrl(url)
}
