import type { HttpContext } from '@adonisjs/core/http'
import { RuntimeException } from '@adonisjs/core/exceptions'
import { Session } from '@adonisjs/session'
/* Types ctx.session, and gives redirects and validation errors their ways with flash messages. */
import '@adonisjs/session/session_middleware'
import type { SessionConfig, SessionData } from '@adonisjs/session/types'

import { findChanges } from '#session/changes'
import { clearCookies, hasCookie, readSessionId, sendCookies } from '#session/cookies'
import type { LiveSession, SessionService } from '#session/session_service'

/** While sessions lapse when idle, activity is recorded at most this often (milliseconds). */
const ACTIVITY_PRECISION = 1000

/**
 * AdonisJS's session of one request (`ctx.session`: values, flash messages)
 * over a session record of ours.
 *
 * It is lazy. A request that touches nothing writes nothing and sets no cookie;
 * a guest gets a record when there is something to remember.
 */
export class RequestSession extends Session {
  readonly #ctx: HttpContext
  readonly #service: SessionService
  readonly #cookieId: string | null
  #live: LiveSession | null = null
  #loaded: Record<string, unknown> = {}
  #regenerate = false

  constructor(ctx: HttpContext, service: SessionService) {
    super(engineConfig(service), () => new LoadedStore(() => this.#loaded), service.emitter, ctx)
    this.#ctx = ctx
    this.#service = service
    this.#cookieId = readSessionId(ctx, service.config)
  }

  /**
   * The session of a request.
   *
   * @throws {RuntimeException} when no session was opened for it
   */
  static of(ctx: HttpContext): RequestSession {
    if (!(ctx.session instanceof RequestSession)) {
      throw new RuntimeException(
        'There are no sessions: register AuthSessionProvider, and keep the session middleware in start/kernel.ts'
      )
    }
    return ctx.session
  }

  /** The live session with its record, or null. */
  get live(): LiveSession | null {
    return this.#live
  }

  override get sessionId(): string {
    return this.#live?.id ?? ''
  }

  override get fresh(): boolean {
    return this.#live?.id !== this.#cookieId
  }

  override get hasRegeneratedSession(): boolean {
    return this.#cookieId !== null && this.fresh
  }

  /** Reads the session that the cookie names. Without a cookie no store is asked. */
  async open(): Promise<void> {
    if (this.#cookieId !== null) {
      this.#live = await this.#service.find(this.#cookieId)
    }
    this.#loaded = this.#live?.record.data ?? {}
    await this.initiate(false)
    this.#shareWithViews()
  }

  /** The CSRF token; starts a guest session when there is none. */
  async csrfToken(): Promise<string> {
    this.#live ??= await this.#start(null)
    return this.#live.record.csrfToken
  }

  /**
   * Signs a user in: a new id, a new CSRF token, and the old record is gone.
   * The data moves along, but never from one user to another.
   */
  async login(owner: { userId: string; guard: string }): Promise<void> {
    const previous = this.#live
    if (previous && previous.record.userId !== null && previous.record.userId !== owner.userId) {
      this.clear()
    }
    this.#live = await this.#start(owner)
    this.#regenerate = false
    if (previous) {
      await this.#service.destroy(previous)
    }
  }

  /** Gives the session a new id when the request ends. */
  override regenerate(): void {
    this.#regenerate = true
  }

  /** Gives the session a new id now. */
  async rotate(): Promise<void> {
    this.#regenerate = false
    if (this.#live) {
      this.#live = await this.#service.regenerate(this.#live)
    }
  }

  /** Destroys the session, its data and its cookies. */
  async invalidate(): Promise<void> {
    const live = this.#live
    this.#live = null
    this.clear()
    this.responseFlashMessages.clear()
    this.#loaded = {}
    if (live) {
      await this.#service.destroy(live)
    }
  }

  /** Writes what the request has changed, and sends the cookies that differ. */
  override async commit(): Promise<void> {
    this.#keepFlashMessages()

    const changes = findChanges(this.#loaded, jsonCopy(this.all()))
    if (this.#live) {
      if (changes.length || this.#mustRecordActivity(this.#live)) {
        await this.#service.patch(this.#live, changes)
      }
    } else if (changes.length) {
      this.#live = await this.#start(null)
    }
    if (this.#regenerate) {
      await this.rotate()
    }

    this.#sendCookies()
  }

  async #start(owner: { userId: string; guard: string } | null) {
    this.#loaded = jsonCopy(this.all())
    return this.#service.start(this.#loaded, owner)
  }

  /** `{{{ await csrfField() }}}` in a form; a page without one starts no session. */
  #shareWithViews() {
    if ('view' in this.#ctx) {
      this.#ctx.view.share({ csrfField: () => this.#csrfField() })
    }
  }

  async #csrfField() {
    const token = await this.csrfToken()
    this.#ctx.response.header('Cache-Control', 'no-store')
    return `<input type="hidden" name="${this.#service.config.csrfField}" value="${token}" />`
  }

  /** Flash messages of this request become data for the next one, in AdonisJS's own layout. */
  #keepFlashMessages() {
    if (this.responseFlashMessages.isEmpty) {
      return
    }
    const { input, reflashed, ...others } = this.responseFlashMessages.all()
    this.put(this.flashKey, { ...reflashed, ...input, ...others })
  }

  #mustRecordActivity({ record }: LiveSession) {
    return (
      this.#service.config.idleTtl !== null &&
      Date.now() - record.lastActivity >= ACTIVITY_PRECISION
    )
  }

  #sendCookies() {
    const { config } = this.#service
    if (this.#live) {
      sendCookies(this.#ctx, config, this.#live, this.#cookieId)
    } else if (hasCookie(this.#ctx, config)) {
      clearCookies(this.#ctx, config)
    }
  }
}

/** Hands AdonisJS's session the data that was read already; it never writes. */
class LoadedStore {
  constructor(private loaded: () => Record<string, unknown>) {}
  read() {
    return structuredClone(this.loaded()) as SessionData
  }
  write() {}
  destroy() {}
  touch() {}
}

/** Values as they will be read back: dates are text, functions are gone. */
function jsonCopy(values: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(values ?? {}))
}

function engineConfig({ config }: SessionService): SessionConfig {
  return {
    enabled: true,
    cookieName: config.cookie,
    age: config.ttl,
    cookie: {},
  }
}
