import { RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService, EmitterService } from '@adonisjs/core/types'

import type { CurrentLogin, OriginName, UserSessions } from '#auth/features'
import type { LoginOrigin } from '#auth/guards/guard'
import type { AuthManager } from '#auth/manager'
import { isExpired } from '#database/expiry'
import type { MaybePromise } from '#process/maybe_promise'
import { generateIdentifier, generateSecret, hashSecret } from '#security/secrets'
import type { Users } from '#auth/users'
import { OriginRules } from '#session/origin_rules'
import { RequestSession } from '#session/request_session'
import type { ResolvedSessionConfig } from '#session/define_config'
import type {
  FoundSession,
  ListedSession,
  SessionChanges,
  SessionName,
  SessionRecord,
  SessionStore,
} from '#session/types'
import type { Caller } from '#http/device'

/** The largest data that one session may hold, as JSON. */
export const MAX_DATA_BYTES = 64 * 1024

/** A session's id in plain text, known to its browser and this request only, and its record. */
export interface LiveSession extends FoundSession {
  id: string
}

/** A session in the list of its user. */
export interface UserSession extends Omit<ListedSession, 'key'> {
  /** Names it, stays when it takes a new id, and opens nothing. */
  name: string
  /** Whether it is the session of this request. */
  isCurrent: boolean
}

/** How long a session lives. */
export interface SessionTerm {
  seconds: number
  /** Epoch milliseconds. A session that began with a longer term does not end sooner for a new login. */
  atLeastUntil?: number | undefined
}

/** Whom a session belongs to. */
export interface SessionOwner {
  userId: string
  guard: string
  /** How the user proved who they are (RFC 8176). Default: not known. */
  methods?: readonly string[]
  origin?: LoginOrigin
}

/** Why an id names no live session. */
export type SessionAbsence = 'unknown' | 'lapsed'

export interface SessionServiceOptions {
  /** Whether data that is too large is an error: in development. Default false. */
  strict?: boolean
  /** Default: the application's own host only. */
  origins?: OriginRules
}

/**
 * The rules of sessions over any store: ids are secrets and stored hashed,
 * what has lapsed is gone, and a write never brings a destroyed session back.
 */
export class SessionService implements UserSessions {
  /** Which origins may send forms. */
  readonly origins: OriginRules
  #usersOfSessions?: Users | null

  constructor(
    readonly config: ResolvedSessionConfig,
    readonly manager: AuthManager,
    readonly store: SessionStore,
    readonly emitter: EmitterService,
    protected options: SessionServiceOptions = {}
  ) {
    this.origins = options.origins ?? new OriginRules(manager)
  }

  /** The live session with this id, or why there is none. */
  async find(id: string): Promise<LiveSession | SessionAbsence> {
    const found = await this.store.read(hashSecret(id), this.#users())
    if (!found) {
      return 'unknown'
    }
    return this.isLive(found.record) ? { id, ...found } : 'lapsed'
  }

  /** Whether a session has neither reached its absolute end nor been idle for too long. */
  isLive(record: Pick<SessionRecord, 'expiresAt' | 'lastActivity'>, now = Date.now()): boolean {
    const { idleTtl } = this.config
    return (
      !isExpired(record.expiresAt, now) &&
      (idleTtl === null || !isExpired(record.lastActivity + idleTtl * 1000, now))
    )
  }

  /**
   * Whether data is too large to be stored. Where `strict` is set, which is in
   * development, that is an error; otherwise it is a line in the log.
   *
   * @param text the data as JSON
   * @throws {RuntimeException} when it is, and the service is strict
   */
  isTooLarge(text: string, { logger }: HttpContext): boolean {
    const bytes = Buffer.byteLength(text)
    if (bytes <= MAX_DATA_BYTES) {
      return false
    }
    const message = `A session holds at most ${MAX_DATA_BYTES} bytes: its changes are not written`
    if (this.options.strict) {
      throw new RuntimeException(`${message} (${bytes} bytes)`)
    }
    logger.error({ bytes }, message)
    return true
  }

  /**
   * Starts a session for a guest, or for a user of a guard.
   *
   * @param term how long it lives, and an end that it does not fall short of. Default: `ttl`
   */
  async start(
    data: Record<string, unknown>,
    owner: SessionOwner | null = null,
    { seconds, atLeastUntil = 0 }: SessionTerm = { seconds: this.config.ttl },
    caller?: Caller
  ): Promise<LiveSession> {
    const now = Date.now()
    const id = generateSecret()
    const record: SessionRecord = {
      userId: owner?.userId ?? null,
      guard: owner?.guard ?? null,
      login: owner && {
        sid: generateIdentifier(),
        methods: owner.methods ?? [],
        ...(owner.origin && { origin: owner.origin }),
      },
      csrfToken: generateSecret(),
      data,
      createdAt: now,
      lastActivity: now,
      expiresAt: Math.max(now + seconds * 1000, atLeastUntil),
    }
    await this.store.create(hashSecret(id), record, caller)
    return { id, record }
  }

  /** Writes changes of the data; false when the session was destroyed meanwhile. */
  async patch(session: LiveSession, changes: SessionChanges, caller?: Caller): Promise<boolean> {
    return this.store.patch(hashSecret(session.id), changes, Date.now(), caller)
  }

  /** Gives the session a new id and keeps everything else; null when it was destroyed meanwhile. */
  async regenerate(session: LiveSession): Promise<LiveSession | null> {
    const id = generateSecret()
    const renamed = await this.store.rename(hashSecret(session.id), hashSecret(id))
    return renamed ? { ...session, id } : null
  }

  /** Ends a session, also when another request has given it a new id meanwhile. */
  async destroy(session: LiveSession): Promise<void> {
    const { userId, guard, login } = session.record
    const isDestroyed =
      userId !== null && guard !== null && login
        ? await this.store.destroyFor(userId, [guard], { only: { sid: login.sid } })
        : await this.store.destroy(hashSecret(session.id))
    if (isDestroyed) {
      void this.emitter.emit('session:destroyed', { userId, guard })
    }
  }

  /** Ends all sessions of a user, in every process; returns how many there were. */
  async destroyAllOf(user: unknown, users: Users): Promise<number> {
    return this.#destroyFor(user, users)
  }

  /** Ends one session of a user by its name in `listOf`, exactly once; says whether the user had it. */
  async destroyOneOf(user: unknown, users: Users, name: string): Promise<boolean> {
    const only = toName(name)
    return only !== null && (await this.#destroyFor(user, users, { only })) > 0
  }

  /** Ends all sessions of a user but the one of this request; returns how many there were. */
  async destroyOthersOf(user: unknown, users: Users, ctx: HttpContext): Promise<number> {
    const live = RequestSession.existing(ctx)?.live
    return this.#destroyFor(user, users, live ? { except: nameOf(live) } : undefined)
  }

  async destroyFrom(name: OriginName): Promise<number> {
    const destroyed = await this.store.destroyFrom(name)
    for (const one of destroyed) {
      void this.emitter.emit('session:destroyed', one)
    }
    return destroyed.length
  }

  /**
   * The live sessions of a user, the latest activity first.
   *
   * @param ctx the request whose session is the current one
   */
  async listOf(user: unknown, users: Users, ctx?: HttpContext): Promise<UserSession[]> {
    const sessions = await this.store.listFor(users.identify(user), this.#guardsOf(users))
    const live = ctx && RequestSession.existing(ctx)?.live
    const current = live ? hashSecret(live.id) : undefined
    return sessions
      .filter((session) => this.isLive(session))
      .map(({ key, ...session }) => ({
        ...session,
        name: session.login?.sid ?? key,
        isCurrent: key === current,
      }))
  }

  currentLogin(ctx: HttpContext): CurrentLogin | null {
    const record = RequestSession.existing(ctx)?.live?.record
    return record?.userId && record.login
      ? { ...record.login, at: record.createdAt, expiresAt: record.expiresAt }
      : null
  }

  async liveLogins(userId: string, users: Users): Promise<string[]> {
    const sessions = await this.store.listFor(userId, this.#guardsOf(users))
    return sessions
      .filter((session) => this.isLive(session))
      .flatMap(({ login }) => login?.sid ?? [])
  }

  async #destroyFor(
    user: unknown,
    users: Users,
    which?: { only?: SessionName; except?: SessionName }
  ) {
    const userId = users.identify(user)
    const destroyed = await this.store.destroyFor(userId, this.#guardsOf(users), which)
    for (let count = 0; count < destroyed; count++) {
      void this.emitter.emit('session:destroyed', { userId, guard: null })
    }
    return destroyed
  }

  #guardsOf(users: Users) {
    return this.#sessionGuards().filter((guard) => this.manager.usersOf(guard) === users)
  }

  async invalidate(ctx: HttpContext): Promise<void> {
    await RequestSession.of(ctx).invalidate()
  }

  /** Deletes lapsed sessions and returns how many there were. */
  async purge(): Promise<number> {
    const now = Date.now()
    const { idleTtl } = this.config
    return this.store.purge(now, idleTtl === null ? null : now - idleTtl * 1000)
  }

  #sessionGuards() {
    return this.manager.guardNames.filter((name) => this.manager.guardDriver(name) === 'session')
  }

  /** The one user provider of all session guards, if there is just one: its users are read with the session. */
  #users(): Users | undefined {
    if (this.#usersOfSessions === undefined) {
      const users = new Set(this.#sessionGuards().map((guard) => this.manager.usersOf(guard)))
      this.#usersOfSessions = users.size === 1 ? [...users][0] : null
    }
    return this.#usersOfSessions ?? undefined
  }
}

function nameOf({ id, record }: LiveSession): SessionName {
  return record.login ? { sid: record.login.sid } : { key: hashSecret(id) }
}

/** Reads a name from outside; null for one that no session has. */
function toName(name: string): SessionName | null {
  if (/^[\da-f]{64}$/.test(name)) {
    return { key: name }
  }
  return /^[A-Za-z\d]{1,64}$/.test(name) ? { sid: name } : null
}

const services = new WeakMap<ApplicationService, SessionService>()

/** The sessions of the application; null when AuthSessionProvider is not registered. Every request asks. */
export function findSessionService(app: ApplicationService): MaybePromise<SessionService | null> {
  return services.get(app) ?? makeSessionService(app)
}

async function makeSessionService(app: ApplicationService): Promise<SessionService | null> {
  if (!app.container.hasBinding(SessionService)) {
    return null
  }
  const service = await app.container.make(SessionService)
  services.set(app, service)
  return service
}
