import type { HttpContext } from '@adonisjs/core/http'
import type { ApplicationService, EmitterService } from '@adonisjs/core/types'

import type { CurrentLogin, DestroyedSession, OriginName, ProviderName } from '#auth/features'
import type { AuthManager } from '#auth/manager'
import { assertRuntime } from '#config/checks'
import { isExpired } from '#database/records'
import type { MaybePromise } from '#process/maybe_promise'
import { rememberedOf } from '#process/remembered'
import { generateIdentifier, generateSecret, hashSecret } from '#security/secrets'
import type { Users } from '#auth/users'
import { OriginRules } from '#session/csrf'
import { RequestSession } from '#session/request_session'
import type { SessionChanges } from '#session/session_changes'
import {
  type SessionRecord,
  type SessionStore,
  type LiveSession,
  type SessionAbsence,
  type SessionOwner,
  type SessionTerm,
  type UserSession,
  type WhichSessions,
  writeUnderKey,
  nameOf,
  toName,
} from '#session/store'
import type { ResolvedSessionConfig } from '#session/define_config'
import type { Caller } from '#http/device'

/** The largest data that one session may hold, as JSON. */
export const MAX_DATA_BYTES = 64 * 1024

/** Sessions over any store: ids are secrets and stored hashed, lapsed ones are absent, no write restores a destroyed one. */
export class SessionService {
  /** Which origins may send forms. Default: the application's own host only. */
  readonly origins: OriginRules

  constructor(
    readonly config: ResolvedSessionConfig,
    readonly manager: AuthManager,
    readonly store: SessionStore,
    readonly emitter: EmitterService,
    /** `strict`: data that is too large is an error, in development. */
    protected options: { strict?: boolean; origins?: OriginRules } = {}
  ) {
    this.origins = options.origins ?? new OriginRules(manager)
  }

  async find(id: string): Promise<LiveSession | SessionAbsence> {
    const found = await this.store.read(hashSecret(id), soleUsersOf(this.manager))
    if (!found) {
      return 'unknown'
    }
    return isExpired(this.#endOf(found.record)) ? 'lapsed' : { id, ...found }
  }

  /** When a session ends unless it is used until then. */
  #endOf({ expiresAt, lastActivity }: Pick<SessionRecord, 'expiresAt' | 'lastActivity'>): number {
    const { idleTtl } = this.config
    return idleTtl === null ? expiresAt : Math.min(expiresAt, lastActivity + idleTtl * 1000)
  }

  /** Whether data, as JSON, is too large to be stored. Logs it; throws in a `strict` service. */
  isTooLarge(text: string, { logger }: HttpContext): boolean {
    const bytes = Buffer.byteLength(text)
    if (bytes <= MAX_DATA_BYTES) {
      return false
    }
    const message = `A session holds at most ${MAX_DATA_BYTES} bytes: its changes are not written`
    assertRuntime(!this.options.strict, `${message} (${bytes} bytes)`)
    logger.error({ bytes }, message)
    return true
  }

  async start(
    data: Record<string, unknown>,
    owner: SessionOwner | null = null,
    { remember = false, atLeastUntil = 0 }: SessionTerm = {},
    caller?: Caller
  ): Promise<LiveSession> {
    const now = Date.now()
    const seconds = remember ? this.config.rememberTtl : this.config.ttl
    const id = generateSecret()
    const record: SessionRecord = {
      userId: owner?.userId ?? null,
      guard: owner?.guard ?? null,
      login: owner && {
        sid: generateIdentifier(),
        methods: owner.methods ?? [],
        ...(owner.origin && { origin: owner.origin }),
      },
      csrfToken: generateSecret() + (owner?.userId ? markOf(owner) : ''),
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
    return writeUnderKey(this.store, session, (key) =>
      this.store.patch(key, changes, Date.now(), caller)
    )
  }

  /** Gives the session a new id and keeps everything else; null when it was destroyed meanwhile. */
  async regenerate(session: LiveSession): Promise<LiveSession | null> {
    const id = generateSecret()
    const isRenamed = await writeUnderKey(this.store, session, (key) =>
      this.store.rename(key, hashSecret(id))
    )
    return isRenamed ? { ...session, id } : null
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

  /** Ends all sessions of a user, or the selected ones, in every process; returns how many. */
  async destroyAllOf(user: unknown, users: Users, which?: WhichSessions): Promise<number> {
    const userId = users.identify(user)
    const destroyed = await this.store.destroyFor(userId, this.#guardsOf(users), which)
    for (let count = 0; count < destroyed; count++) {
      void this.emitter.emit('session:destroyed', { userId, guard: null })
    }
    return destroyed
  }

  /** Ends one session of a user by its name in `listOf`, exactly once; says whether the user had it. */
  async destroyOneOf(user: unknown, users: Users, name: string): Promise<boolean> {
    const only = toName(name)
    return only !== null && (await this.destroyAllOf(user, users, { only })) > 0
  }

  /** Ends all sessions of a user but the one of this request; returns how many there were. */
  async destroyOthersOf(user: unknown, users: Users, ctx: HttpContext): Promise<number> {
    const live = RequestSession.existing(ctx)?.live
    return this.destroyAllOf(user, users, live ? { except: nameOf(live) } : undefined)
  }

  /** Ends sessions from a provider: by person there, by session there, by both, or all. Returns their owners. */
  async destroyFrom(name: OriginName | ProviderName): Promise<DestroyedSession[]> {
    const destroyed = await this.store.destroyFrom(name)
    destroyed.forEach((one) => void this.emitter.emit('session:destroyed', one))
    return destroyed
  }

  /** The live sessions of a user, the latest activity first; that of the request `ctx` is the current one. */
  async listOf(user: unknown, users: Users, ctx?: HttpContext): Promise<UserSession[]> {
    const sessions = await this.#liveOf(users.identify(user), users)
    const live = ctx && RequestSession.existing(ctx)?.live
    const current = live ? hashSecret(live.id) : undefined
    return sessions.map(({ key, ...session }) => ({
      ...session,
      name: session.login?.sid ?? key,
      isCurrent: key === current,
    }))
  }

  /** The login that the session of a request comes from; null without a session of a user. */
  currentLogin(ctx: HttpContext): CurrentLogin | null {
    const record = RequestSession.existing(ctx)?.live?.record
    return record?.userId && record.login
      ? { ...record.login, at: record.createdAt, expiresAt: this.#endOf(record) }
      : null
  }

  /** The names (`sid`) of a user's live sessions, and when each ends unless it is used until then. */
  async liveLogins(userId: string, users: Users): Promise<Map<string, number>> {
    const live = await this.#liveOf(userId, users)
    return new Map(
      live.flatMap((session) => (session.login ? [[session.login.sid, this.#endOf(session)]] : []))
    )
  }

  async #liveOf(userId: string, users: Users) {
    const sessions = await this.store.listFor(userId, this.#guardsOf(users))
    return sessions.filter((session) => !isExpired(this.#endOf(session)))
  }

  #guardsOf(users: Users) {
    return sessionGuardsOf(this.manager).filter((guard) => this.manager.usersOf(guard) === users)
  }

  async invalidate(ctx: HttpContext): Promise<void> {
    await RequestSession.of(ctx).invalidate()
  }

  async purge(now = Date.now()): Promise<number> {
    const { idleTtl } = this.config
    return this.store.purge(now, idleTtl === null ? null : now - idleTtl * 1000)
  }
}

const sessionGuardsOf = (manager: AuthManager): string[] =>
  manager.guardNames.filter((name) => manager.guardDriver(name) === 'session')

/** The one user provider of all session guards, if there is just one: its users are read with the session. */
const soleUsersOf = rememberedOf((manager: AuthManager): Users | undefined => {
  const guards = sessionGuardsOf(manager)
  const [users, ...others] = new Set(guards.map((guard) => manager.usersOf(guard)))
  return others.length ? undefined : users
})

/** What a person's CSRF tokens end in: forms that are kept for them are shown to nobody else. */
const markOf = ({ guard, userId }: SessionOwner): string =>
  `.${hashSecret(`${guard}:${userId}`).slice(0, 8)}`

const serviceOf = rememberedOf((app: ApplicationService) => app.container.make(SessionService))

/** The sessions of the application; null when AuthSessionProvider is not registered. Every request asks. */
export function findSessionService(app: ApplicationService): MaybePromise<SessionService | null> {
  return app.container.hasBinding(SessionService) ? serviceOf(app) : null
}
