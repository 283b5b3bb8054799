import type { Emitter } from '@adonisjs/core/events'
import type { EventsList } from '@adonisjs/core/types'

import { toSeconds } from '#database/records'
import { generateIdentifier } from '#security/secrets'
import { ServerPart } from '#oauth2/server_part'
import { DocumentNotFetched } from '#http/document_fetcher'
import type { ClientSessionRecord } from '#oauth2/openid/logout/client_session_store'

/** The event that a logout token tells of (OpenID Connect Back-Channel Logout 1.0 §2.4). */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Lifetime of a logout token in seconds. */
const LIFETIME = 120

/** Seconds from one attempt to the next. After the last one the client is not told. */
const DELAYS = [30, 120, 600, 3600]

/** Records that are read, and requests that are under way, at once. */
const BATCH = 50

/** Tells clients of the end of a session (OpenID Connect Back-Channel Logout 1.0). */
export class BackChannel extends ServerPart {
  readonly #requests = new Set<Promise<void>>()
  /** Clients that could not be told the last time, so that the log says it once. */
  readonly #failing = new Set<string>()
  #running: Promise<void> = Promise.resolve()

  /** Listens for the end of sessions, and tells the clients of those that do not live any more. */
  listen(emitter: Emitter<EventsList>): () => void {
    const tell = async (userId: string) => {
      const living = await this.server.clientSessions.findLiving(userId)
      if (await this.#endDead(living)) {
        await this.#deliver()
      }
    }
    return emitter.on('session:destroyed', ({ userId }) => {
      userId !== null && this.#inBackground(() => tell(userId))
    })
  }

  /** Delivers logout tokens of expired and idle sessions, and repeats failed deliveries. */
  deliverDue(): void {
    this.#inBackground(async () => {
      let lapsed
      do {
        lapsed = await this.server.clientSessions.findLapsed(Date.now(), BATCH)
        await this.#endDead(lapsed)
      } while (lapsed.length === BATCH)
      await this.#deliver()
    })
  }

  /** Resolves when nothing is on its way any more. */
  async settled(): Promise<void> {
    await this.#running
    while (this.#requests.size) {
      await Promise.all(this.#requests)
      await this.#running
    }
  }

  /** Makes the records of ended sessions due; returns whether there were any. Updates the end of live ones. */
  async #endDead(records: ClientSessionRecord[]): Promise<boolean> {
    const { clientSessions, manager } = this.server
    const dead: string[] = []
    /* Equal ids of two user providers are different people. */
    const people = Map.groupBy(records, ({ provider, userId }) => `${provider} ${userId}`)
    for (const own of people.values()) {
      const { provider, userId } = own[0]!
      const live = manager.hasUsers(provider)
        ? await manager.feature('sessions')?.liveLogins(userId, manager.users(provider))
        : undefined
      for (const { sid, expiresAt } of own) {
        const end = live?.get(sid)
        if (end === undefined) dead.push(sid)
        else if (end > expiresAt) await clientSessions.postpone(sid, end)
      }
    }
    dead.length && (await clientSessions.end(dead, Date.now()))
    return dead.length > 0
  }

  /**
   * Makes requests while there is room, and does not wait for them: a client may not answer. Counts an attempt
   * before making it, so that none is made twice, nor endlessly.
   */
  async #deliver() {
    const { clientSessions: sessions } = this.server
    const room = BATCH - this.#requests.size
    for (const record of room > 0 ? await sessions.findDue(Date.now(), room) : []) {
      const delay = DELAYS[record.attempts] ?? DELAYS.at(-1)!
      if (await sessions.claim(record, Date.now() + delay * 1000)) {
        const request = this.#tell(record).catch(this.#report)
        this.#requests.add(request)
        void request.then(
          () => this.#requests.delete(request) && this.#inBackground(() => this.#deliver())
        )
      }
    }
  }

  async #tell(record: ClientSessionRecord) {
    const { clientSessions: sessions, repository, logger } = this.server
    const { clientId } = record
    const client = await repository.find(clientId)
    const uri = client && !client.revoked ? client.openid?.backchannelLogoutUri : null
    try {
      uri && (await this.#post(uri, record))
      this.#failing.delete(clientId)
      await sessions.delete(record)
    } catch (error) {
      if (!(error instanceof DocumentNotFetched)) {
        throw error
      }
      if (record.attempts === DELAYS.length) {
        logger.error({ err: error }, `Cannot tell the client ${clientId} of a logout`)
        await sessions.delete(record)
      } else if (!this.#failing.has(clientId)) {
        this.#failing.add(clientId)
        logger.warn({ reason: error.message }, `Cannot tell the client ${clientId} of a logout yet`)
      }
    }
  }

  async #post(uri: string, { clientId, subject, sid }: ClientSessionRecord) {
    const { config, keys, fetcher } = this.server
    const iat = toSeconds(Date.now())
    const about = { iss: config.issuer, sub: subject, aud: clientId, iat, exp: iat + LIFETIME, sid }
    const claims = { ...about, jti: generateIdentifier(), events: { [EVENT]: {} } }
    const token = await keys.sign(claims, { typ: 'logout+jwt' })
    const guarded = await fetcher()
    await guarded.post(new URL(uri), { logout_token: token })
  }

  /** One after the other, in the order of the ends. */
  #inBackground(work: () => Promise<void>) {
    this.#running = this.#running.then(work).catch(this.#report)
  }

  readonly #report = (err: unknown) => {
    this.server.logger.error({ err }, 'Cannot tell clients of the end of sessions')
  }
}
