import type { HttpContext } from '@adonisjs/core/http'
import { RuntimeException } from '@adonisjs/core/exceptions'

import type { LoginOptions, LoginOrigin } from '#auth/guards/guard'
import { findChanges, isActivityDue } from '#session/session_changes'
import { clearCookies, csrfInput, hasCookie, readSessionId, sendCookies } from '#session/cookies'
import type { SessionService } from '#session/session_service'
import type { LiveSession, SessionAbsence, SessionOwner, SessionTerm } from '#session/store'
import { KEPT_FORM, SessionValues } from '#session/session_values'
import { keepFromCaches } from '#http/caching'
import { callerOf } from '#http/device'

/** Key of the time of the last confirmation, in epoch milliseconds. */
const CONFIRMED_AT = 'confirmed_at'

/**
 * Of a request: its session, or the service that creates it. Not in a WeakMap: V8 keeps pairs that refer to each other
 * through minor collections, which then take 20 ms each.
 */
const SESSION = Symbol('session')
type WithSession = HttpContext & { [SESSION]?: RequestSession | SessionService }

/**
 * The session of one request, `ctx.session`: AdonisJS's values and flash messages over a record of this package, created
 * on first use. A request that does not use it writes nothing and sets no cookie; a guest gets a record with data.
 */
export class RequestSession extends SessionValues {
  #live: LiveSession | null
  #loaded: Record<string, unknown>
  #regenerate = false
  #guest: Promise<LiveSession> | null = null

  /** Why the request brought no live session; null when it brought one. */
  readonly absence: SessionAbsence | 'missing' | null

  /** Called when the session ends or is replaced in its own request, for the guard that has recognised its user. */
  onEnd: (() => void) | null = null

  private constructor(
    ctx: HttpContext,
    service: SessionService,
    found: LiveSession | SessionAbsence | 'missing',
    /** A property that held it would be shown by `console.log`. */
    private readonly cookieId: () => string | null = () => null
  ) {
    super(ctx, service)
    this.absence = typeof found === 'string' ? found : null
    this.#live = typeof found === 'string' ? null : found
    this.#loaded = this.#live?.record.data ?? {}
    this.load(this.#loaded, this.#live?.record.csrfToken)
  }

  /** Opens the session of a request, once. With a cookie it is read. Only the session middleware writes it. */
  static async open(ctx: WithSession, service: SessionService): Promise<void> {
    if (ctx[SESSION]) {
      return
    }
    ctx[SESSION] = service
    if (hasCookie(ctx, service.config)) {
      keepFromCaches(ctx)
      const id = readSessionId(ctx, service.config)
      const found = id === null ? 'unknown' : await service.find(id)
      ctx[SESSION] = new RequestSession(ctx, service, found, () => id)
    }
  }

  static existing(ctx: WithSession): RequestSession | null {
    return ctx[SESSION] instanceof RequestSession ? ctx[SESSION] : null
  }

  /** The session of a request; undefined when none was opened for it. */
  static find(ctx: WithSession): RequestSession | undefined {
    if (ctx[SESSION] && !(ctx[SESSION] instanceof RequestSession)) {
      ctx[SESSION] = new RequestSession(ctx, ctx[SESSION], 'missing')
    }
    return ctx[SESSION]
  }

  /** @throws {RuntimeException} when no session was opened for the request */
  static of(ctx: HttpContext): RequestSession {
    return RequestSession.find(ctx) ?? failWithoutSessions()
  }

  /** The live session of a request, or null. Creates none. @throws {RuntimeException} when none was opened for the request */
  static liveOf(ctx: WithSession): LiveSession | null {
    return ctx[SESSION] ? (RequestSession.existing(ctx)?.live ?? null) : failWithoutSessions()
  }

  get live(): LiveSession | null {
    return this.#live
  }

  override get sessionId(): string {
    return this.#live?.id ?? ''
  }

  override get fresh(): boolean {
    return this.#live?.id !== this.cookieId()
  }

  override get hasRegeneratedSession(): boolean {
    return this.cookieId() !== null && this.fresh
  }

  /** The CSRF token; starts a guest session when there is none, the same for all who ask at once. */
  async csrfToken(): Promise<string> {
    this.#live ??= await (this.#guest ??= this.#start(null))
    this.#guest = null
    return this.#live.record.csrfToken
  }

  /** The hidden field that a form sends the CSRF token in. A page with a token must not be cached. */
  async csrfField(): Promise<string> {
    await this.csrfToken()
    this.ctx.response.header('Cache-Control', 'no-store')
    return csrfInput(this.service.config, this.#live!.record)
  }

  /** Signs a user in: a new id and CSRF token, and the old record is destroyed, against session fixation. */
  async login(owner: SessionOwner, { remember }: LoginOptions = {}): Promise<void> {
    const previous = this.#live?.record
    /* A new login of the same user leaves a remembered session remembered. */
    const atLeastUntil =
      remember === undefined && previous && isOf(previous, owner) ? previous.expiresAt : 0
    await this.#replace(owner, { remember, atLeastUntil })
  }

  /**
   * Goes on as a guest with a new id and CSRF token: between the steps of a login, against session fixation.
   * @param origin the sign-in at a provider that waits: its end there ends the session
   */
  async startOver(origin?: LoginOrigin): Promise<void> {
    await this.#replace(origin ? { userId: null, guard: null, origin } : null)
  }

  /** When the user last proved who they are: by the login of this session, or by a confirmation since. Null for a guest. */
  get confirmedAt(): number | null {
    const record = this.#live?.record
    return record?.userId ? Math.max(record.createdAt, this.get(CONFIRMED_AT, 0)) : null
  }

  /** Notes that the user has proved who they are. The id changes, as with every change of what a session may do. */
  async confirm(): Promise<void> {
    this.put(CONFIRMED_AT, Date.now())
    this.regenerate()
  }

  /** Gives the session a new id when the request ends. */
  override regenerate(): void {
    this.#regenerate = true
  }

  async rotate(): Promise<void> {
    this.#regenerate = false
    const live = this.#live && (await this.service.regenerate(this.#live))
    if (this.#live && !live) {
      /* It was destroyed meanwhile, and no guest session must get its data. */
      await this.invalidate()
    }
    this.#live = live
  }

  async invalidate(): Promise<void> {
    const live = this.#live
    this.#live = null
    this.onEnd?.()
    this.clear()
    this.responseFlashMessages.clear()
    this.clearIntendedUrl()
    this.#loaded = {}
    if (live) {
      await this.service.destroy(live)
    }
  }

  /** Writes what the request has changed, and sends the cookies that differ. */
  override async commit(): Promise<void> {
    this.ctx.response.getHeader('location') && this.keepFormLonger()
    this.isFormShown && this.forget(KEPT_FORM)
    if (!this.responseFlashMessages.isEmpty) {
      /* They become data for the next request, in AdonisJS's own layout. */
      const { input, reflashed, ...others } = this.responseFlashMessages.all()
      this.put(this.flashKey, { ...reflashed, ...input, ...others })
    }
    const changes = findChanges(this.#loaded, this.#data())
    const { config } = this.service
    if (this.#live && (changes.length || isActivityDue(this.#live.record, config.idleTtl))) {
      const isWritten = await this.service.patch(this.#live, changes, callerOf(this.ctx))
      if (!isWritten && this.has(this.flashKey)) {
        await this.#saveFlashMessages()
      }
    } else if (!this.#live && changes.length) {
      this.#live = await this.#start(null)
    }
    if (this.#regenerate) {
      await this.rotate()
    }

    if (this.#live) {
      sendCookies(this.ctx, config, this.#live, this.cookieId())
    } else if (hasCookie(this.ctx, config)) {
      clearCookies(this.ctx, config)
    }
  }

  /** Keeps the data, but never from one user to another. */
  async #replace(owner: SessionOwner | null, term?: SessionTerm) {
    const previous = this.#live
    if (previous && previous.record.userId !== null && !isOf(previous.record, owner)) {
      this.clear()
    }
    this.#live = await this.#start(owner, term)
    this.onEnd?.()
    this.#regenerate = false
    if (previous) {
      await this.service.destroy(previous)
    }
  }

  async #start(owner: SessionOwner | null, term?: SessionTerm) {
    this.#loaded = this.#data()
    return this.service.start(this.#loaded, owner, term, callerOf(this.ctx))
  }

  /** The data as it will be read back, or as it was read when it is too large to be written. */
  #data(): Record<string, unknown> {
    const text = JSON.stringify(this.all())
    return this.service.isTooLarge(text, this.ctx) ? this.#loaded : JSON.parse(text)
  }

  /** The session was destroyed meanwhile, e.g. by a form that was sent twice: a new guest session keeps only the messages. */
  async #saveFlashMessages() {
    const messages = this.get(this.flashKey)
    this.clear()
    this.put(this.flashKey, messages)
    this.#live = await this.#start(null)
  }
}

/** Whether a session is this user's: equal ids of two guards may be different people. */
const isOf = ({ userId, guard }: LiveSession['record'], owner: SessionOwner | null) =>
  userId === owner?.userId && guard === owner?.guard

function failWithoutSessions(): never {
  throw new RuntimeException(
    'There are no sessions: register AuthSessionProvider, and keep the session middleware in start/kernel.ts'
  )
}
