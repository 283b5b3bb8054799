import type { HttpContext } from '@adonisjs/core/http'
import type { EmitterService } from '@adonisjs/core/types'

import type { AccessKind } from '#auth/account_access'
import type { Features } from '#auth/features'
import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { affectedRows } from '#database/raw_query'
import { isStorable } from '#database/storable_text'
import * as ceremonies from '#passkeys/ceremonies'
import { Passkey, insertPasskey, listPasskeys, passkeysOf, usePasskey } from '#passkeys/database'
import type { ResolvedPasskeysConfig } from '#passkeys/define_config'

declare module '@adonisjs/core/types' {
  interface EventsList {
    /** A passkey was used to sign in or to confirm. */
    'passkeys:used': PasskeyEvent
    /** An answer with a known passkey was refused, e.g. because a copy of it has been used. */
    'passkeys:refused': Omit<PasskeyEvent, 'user'> & { reason: string }
  }
}

type PasskeyUse = 'login' | 'confirm'

interface PasskeyEvent {
  ctx: HttpContext
  user: any
  /** The passkey, without its key. */
  passkey: { id: string; name: string }
}

/** Characters of the longest credential id: 1,023 bytes in base64url (WebAuthn §4). */
const MAX_CREDENTIAL_ID = 1364

/** A passkey as its owner sees it. Instants are epoch milliseconds. */
export type PasskeyDetails = ReturnType<typeof detailsOf>

/** Keys that a device keeps, to sign in and confirm without a password (WebAuthn Level 3). */
export class Passkeys {
  constructor(
    readonly config: ResolvedPasskeysConfig,
    protected services: { features: Pick<Features, 'feature'>; emitter: EmitterService }
  ) {}

  async list<User>(user: User, users: Users<User>): Promise<PasskeyDetails[]> {
    const passkeys = await listPasskeys(users.ownerOf(user))
    return passkeys.map(detailsOf)
  }

  async creationOptions<User>(user: User, users: Users<User>, ctx: HttpContext) {
    return ceremonies.creationOptions(this.config, users.ownerOf(user), users.usernameOf(user), ctx)
  }

  /** Registers the passkey that a browser has made; null when its answer is not valid. */
  async register<User>(
    user: User,
    users: Users<User>,
    { name, answer }: { name: string; answer: ceremonies.BrowserAnswer },
    ctx: HttpContext
  ): Promise<PasskeyDetails | null> {
    const refuse = (error: unknown) => this.#refuse(ctx, error)
    const created = await ceremonies.verifyCreation(this.config, answer, ctx).catch(refuse)
    const row = created && { ...created.row, name }
    const passkey = row && (await insertPasskey(users.ownerOf(user), row, created.challenge))
    if (!passkey) {
      return null
    }
    const end = () => passkeysOf(users.ownerOf(user)).where({ id: passkey.id }).delete()
    await ctx.authenticator.settle(end)
    await recordSecurityEvent(ctx, user, 'passkey_added', { name }, users)
    return detailsOf(passkey)
  }

  /** What the browser needs to sign somebody in; of a user whose password was right, with one of their passkeys. */
  async loginOptions<User>(user: User | null, users: Users<User>, ctx: HttpContext) {
    const known = user ? await listPasskeys(users.ownerOf(user)) : []
    return ceremonies.requestOptions(this.config, 'login', known, ctx)
  }

  async confirmationOptions<User>(user: User, users: Users<User>, ctx: HttpContext) {
    const known = await listPasskeys(users.ownerOf(user))
    return ceremonies.requestOptions(this.config, 'confirm', known, ctx)
  }

  /**
   * The active user whose passkey has answered; null when the answer is not valid, or was used before. Failures count
   * against the caller's address alone: nobody guesses a signature, and who knows the id of a passkey locks nobody out.
   * @throws {Throttled} when too many answers have failed
   */
  async verify(use: PasskeyUse, users: Users, answer: ceremonies.BrowserAnswer, ctx: HttpContext) {
    const user = await this.#verify(use, users, answer, ctx)
    if (!user) {
      await this.services.features.feature('throttle')?.penalize('failedLogins', null, ctx)
    }
    return user
  }

  /** Gives a passkey another name; false when the user has none with this id. */
  async rename<User>(user: User, users: Users<User>, id: string, name: string): Promise<boolean> {
    /* The key of a row has one spelling. */
    const isKey = /^[1-9]\d{0,14}$/.test(id)
    const query = passkeysOf(users.ownerOf(user)).where({ id: Number(id) })
    return isKey && affectedRows(await query.update({ name })) > 0
  }

  /** Removes a passkey; null when the user has none with this id. */
  async remove<User>(user: User, users: Users<User>, id: string, ctx: HttpContext) {
    const owner = users.ownerOf(user)
    const passkeys = await listPasskeys(owner)
    const passkey = passkeys.find((candidate) => String(candidate.id) === id)
    if (!passkey || !affectedRows(await passkeysOf(owner).where({ id: passkey.id }).delete())) {
      return null
    }
    await recordSecurityEvent(ctx, user, 'passkey_removed', { name: passkey.name }, users)
    return detailsOf(passkey)
  }

  get access(): AccessKind {
    return {
      name: 'passkeys',
      route: 'account.passkeys.passkeys.index',
      countOf: (user, users) => this.list(user, users).then(({ length }) => length),
      endAllOf: (user, users) => this.forget(user, users),
    }
  }

  async forget<User>(user: User, users: Users<User>): Promise<number> {
    return affectedRows(await passkeysOf(users.ownerOf(user)).delete())
  }

  async #verify(use: PasskeyUse, users: Users, answer: ceremonies.BrowserAnswer, ctx: HttpContext) {
    const { id } = answer
    const isId = typeof id === 'string' && id.length <= MAX_CREDENTIAL_ID && isStorable(id)
    const passkey = isId ? await Passkey.findBy('credentialId', id) : null
    if (!passkey || passkey.provider !== users.name) {
      return null
    }
    const refuse = (error: unknown) => this.#refuse(ctx, error, passkey)
    const used = await ceremonies.verifyUse(this.config, use, passkey, answer, ctx).catch(refuse)
    if (!used) {
      return null
    }
    if (!(await usePasskey(passkey, used.counter, used.challenge))) {
      return refuse(new Error('the answer was used before'))
    }
    const user = await users.findActive(passkey.userId)
    if (user) {
      void this.services.emitter.emit('passkeys:used', { ctx, user, passkey: detailsOf(passkey) })
    }
    return user
  }

  /** The caller learns that an answer is not valid, operators learn why. */
  #refuse(ctx: HttpContext, error: unknown, passkey?: Passkey): null {
    const reason = error instanceof Error ? error.message : String(error)
    ctx.logger.debug({ reason }, 'Refused the answer of a passkey')
    if (passkey) {
      const event = { ctx, passkey: detailsOf(passkey), reason }
      void this.services.emitter.emit('passkeys:refused', event)
    }
    return null
  }
}

function detailsOf({ id, name, lastUsedAt, createdAt }: Passkey) {
  return { id: String(id), name, lastUsedAt, createdAt }
}
