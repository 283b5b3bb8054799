import { hash } from 'node:crypto'

import type { HttpContext } from '@adonisjs/core/http'
import { isValidRedirectUrl } from '@adonisjs/core/http/helpers'

import { BoundedMap } from '#process/bounded_map'
import { keepFromCaches } from '#http/caching'
import type { ResolvedSessionConfig } from '#session/define_config'
import type { LiveSession } from '#session/types'

/** The attributes that the cookies of sessions share. */
export function cookieAttributes(config: ResolvedSessionConfig) {
  return {
    path: config.path,
    domain: config.domain,
    sameSite: config.sameSite,
    secure: config.secure,
  }
}

/** Ids of cookies whose signature has been verified, by the cookie's digest: AdonisJS computes three HMACs for each. */
const verified = new BoundedMap<string, string>(10_000)

/**
 * The session id of AdonisJS's signed cookie; null when there is none or it was
 * not signed here. A signature is verified once; whether the session is alive is
 * looked up every time.
 */
export function readSessionId(ctx: HttpContext, config: ResolvedSessionConfig): string | null {
  const digest = hash('sha256', `${config.cookie}=${ctx.request.cookiesList()[config.cookie]}`)
  const known = verified.get(digest)
  if (known !== undefined) {
    return known
  }
  const id = ctx.request.cookie(config.cookie)
  if (typeof id !== 'string' || id === '') {
    return null
  }
  verified.set(digest, id)
  return id
}

/** Whether the browser holds a session cookie at all, even a stale or forged one. */
export function hasCookie(ctx: HttpContext, config: ResolvedSessionConfig): boolean {
  return ctx.request.header('cookie') !== undefined && config.cookie in ctx.request.cookiesList()
}

/** Sends the cookies that the browser does not hold yet, for as long as the session may last. */
export function sendCookies(
  ctx: HttpContext,
  config: ResolvedSessionConfig,
  { id, record }: LiveSession,
  heldId: string | null
): void {
  const maxAge = Math.max(0, Math.ceil((record.expiresAt - Date.now()) / 1000))
  const options = { ...cookieAttributes(config), maxAge }

  if (id !== heldId) {
    keepFromCaches(ctx)
    ctx.response.cookie(config.cookie, id, { ...options, httpOnly: config.httpOnly })
  }
  if (ctx.request.cookiesList()[config.csrfCookie] !== record.csrfToken) {
    ctx.response.plainCookie(config.csrfCookie, record.csrfToken, {
      ...options,
      httpOnly: false,
      encode: false,
    })
  }
}

/** Makes the browser forget both cookies. */
export function clearCookies(ctx: HttpContext, config: ResolvedSessionConfig): void {
  ctx.response.clearCookie(config.cookie, {
    ...cookieAttributes(config),
    httpOnly: config.httpOnly,
  })
  ctx.response.clearCookie(config.csrfCookie, { ...cookieAttributes(config), httpOnly: false })
}

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
