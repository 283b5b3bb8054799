import type { HttpContext } from '@adonisjs/core/http'
import type { EmitterService } from '@adonisjs/core/types'

import type { AccessKind } from '#auth/account_access'
import type { Features } from '#auth/features'
import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { isStorable } from '#database/storable_text'
import {
  type BrowserAnswer,
  creationOptions,
  requestOptions,
  verifyCreation,
  verifyUse,
} from '#passkeys/ceremonies'
import { type PasskeyOwner, passkeyRows } from '#passkeys/database'
import type { ResolvedPasskeysConfig } from '#passkeys/define_config'
import type Passkey from '#passkeys/models/passkey'
import '#passkeys/events'

/** Where people manage their passkeys. */
const PAGE = '/account/passkeys'

declare module '#auth/features' {
  interface AuthFeatures {
    passkeys: Passkeys
  }
}

/** Characters of the longest credential id: 1,023 bytes in base64url (WebAuthn §4). */
const MAX_CREDENTIAL_ID = 1364

/** A passkey as its owner sees it. Instants are epoch milliseconds. */
export interface PasskeyDetails {
  id: string
  name: string
  lastUsedAt: number | null
  createdAt: number
}

/** Passkeys: keys that a device keeps, with which people sign in and confirm without a password (WebAuthn Level 3). */
export class Passkeys {
  readonly config: ResolvedPasskeysConfig
  readonly #features: Pick<Features, 'feature'>
  readonly #emitter: EmitterService

  constructor(
    config: ResolvedPasskeysConfig,
    services: { features: Pick<Features, 'feature'>; emitter: EmitterService }
  ) {
    this.config = config
    this.#features = services.features
    this.#emitter = services.emitter
  }

  /** The passkeys of a user, the oldest first. */
  async list<User>(user: User, users: Users<User>): Promise<PasskeyDetails[]> {
    const passkeys = await passkeyRows.list(ownerOf(user, users))
    return passkeys.map(detailsOf)
  }

  /** What the browser needs to make a passkey for a user. */
  async creationOptions<User>(user: User, users: Users<User>, ctx: HttpContext) {
    const owner = ownerOf(user, users)
    const username = String((user as Record<string, unknown>)[users.usernameKey] ?? owner.userId)
    return creationOptions(this.config, owner, { username, displayName: username }, ctx)
  }

  /** Registers the passkey that a browser has made; null when its answer is not valid. */
  async register<User>(
    user: User,
    users: Users<User>,
    { name, answer }: { name: string; answer: BrowserAnswer },
    ctx: HttpContext
  ): Promise<PasskeyDetails | null> {
    const created = await verifyCreation(this.config, answer, ctx).catch((error) =>
      this.#refuse(ctx, error)
    )
    const owner = ownerOf(user, users)
    const passkey =
      created && (await passkeyRows.insert(owner, { ...created.row, name }, created.challenge))
    if (!passkey) {
      return null
    }
    await recordSecurityEvent(ctx, user, 'passkey_added', { name }, users)
    return detailsOf(passkey)
  }

  /** What the browser needs to sign somebody in; of a user whose password was right, with one of their passkeys. */
  async loginOptions<User>(user: User | null, users: Users<User>, ctx: HttpContext) {
    const known = user ? await passkeyRows.list(ownerOf(user, users)) : []
    return requestOptions(this.config, 'login', known, ctx)
  }

  /** What the browser needs to confirm that the signed-in user is there. */
  async confirmationOptions<User>(user: User, users: Users<User>, ctx: HttpContext) {
    const known = await passkeyRows.list(ownerOf(user, users))
    return requestOptions(this.config, 'confirm', known, ctx)
  }

  /**
   * The active user whose passkey has answered; null when the answer is not valid.
   * A challenge counts once, and so does a value of the passkey's counter.
   *
   * @throws {Throttled} when too many answers have failed
   */
  async verify<User>(
    purpose: 'login' | 'confirm',
    users: Users<User>,
    answer: BrowserAnswer,
    ctx: HttpContext
  ): Promise<User | null> {
    const throttle = this.#features.feature('throttle')
    const run = () => this.#verify(purpose, users, answer, ctx)
    return throttle ? throttle.attempt('failedLogins', `passkey:${answer.id}`, ctx, run) : run()
  }

  /** Gives a passkey another name; false when the user has none with this id. */
  async rename<User>(user: User, users: Users<User>, id: string, name: string): Promise<boolean> {
    const key = keyOf(id)
    return key !== null && passkeyRows.rename(ownerOf(user, users), key, name)
  }

  /** Removes a passkey; null when the user has none with this id. */
  async remove<User>(
    user: User,
    users: Users<User>,
    id: string,
    ctx: HttpContext
  ): Promise<PasskeyDetails | null> {
    const owner = ownerOf(user, users)
    const passkeys = await passkeyRows.list(owner)
    const passkey = passkeys.find((candidate) => String(candidate.id) === id)
    if (!passkey || !(await passkeyRows.delete(owner, passkey.id))) {
      return null
    }
    await recordSecurityEvent(ctx, user, 'passkey_removed', { name: passkey.name }, users)
    return detailsOf(passkey)
  }

  /** Passkeys as what acts for an account. */
  get access(): AccessKind {
    return {
      name: 'passkeys',
      path: PAGE,
      countOf: async (user, users) => {
        const passkeys = await this.list(user, users)
        return passkeys.length
      },
      endAllOf: (user, users) => this.forget(user, users),
    }
  }

  /** Deletes what is stored about a user, with their account. */
  async forget<User>(user: User, users: Users<User>): Promise<void> {
    await passkeyRows.deleteAll(ownerOf(user, users))
  }

  /** Deletes what expired challenges have left behind, and returns how much it was. */
  async purge(): Promise<number> {
    return passkeyRows.purge(Date.now())
  }

  async #verify<User>(
    purpose: 'login' | 'confirm',
    users: Users<User>,
    answer: BrowserAnswer,
    ctx: HttpContext
  ): Promise<User | null> {
    const passkey = await findPasskey(answer.id)
    if (!passkey || passkey.provider !== users.name) {
      return null
    }
    const used = await verifyUse(this.config, purpose, passkey, answer, ctx).catch((error) =>
      this.#refuse(ctx, error, passkey)
    )
    if (!used) {
      return null
    }
    if (!(await passkeyRows.use(passkey, used.counter, used.challenge))) {
      return this.#refuse(ctx, new Error('the answer was used before'), passkey)
    }
    const user = await users.findActive(passkey.userId)
    if (user) {
      void this.#emitter.emit('passkeys:used', { ctx, user, passkey: detailsOf(passkey) })
    }
    return user
  }

  /** The caller learns that an answer is not valid, operators learn why. */
  #refuse(ctx: HttpContext, error: unknown, passkey?: Passkey): null {
    const reason = error instanceof Error ? error.message : String(error)
    ctx.logger.debug({ reason }, 'Refused the answer of a passkey')
    if (passkey) {
      void this.#emitter.emit('passkeys:refused', { ctx, passkey: detailsOf(passkey), reason })
    }
    return null
  }
}

function ownerOf<User>(user: User, users: Users<User>): PasskeyOwner {
  return { userId: users.identify(user), provider: users.name }
}

async function findPasskey(id: unknown): Promise<Passkey | null> {
  return typeof id === 'string' && id.length <= MAX_CREDENTIAL_ID && isStorable(id)
    ? passkeyRows.findByCredential(id)
    : null
}

/** The key of a row, in its one spelling; null for everything else. */
function keyOf(id: string): number | null {
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : null
}

function detailsOf({ id, name, lastUsedAt, createdAt }: Passkey): PasskeyDetails {
  return { id: String(id), name, lastUsedAt, createdAt }
}
