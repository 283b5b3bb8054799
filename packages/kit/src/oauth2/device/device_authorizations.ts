import type { HttpContext } from '@adonisjs/core/http'

import { ServerError } from '#auth/errors'
import { attempt } from '#auth/features'
import type { Owner } from '#auth/users'
import { isExpired, toSeconds } from '#database/records'
import { callerOf, describeDevice } from '#http/device'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { ServerPart } from '#oauth2/server_part'
import type { Decision } from '#oauth2/authorize/authorization'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import type { DeviceRecord } from '#oauth2/device/device_store'
import type { ConsentEvent } from '#oauth2/events'
import { assertMayUse, requestedAccess } from '#oauth2/grants/grant'
import { assertWaits } from '#oauth2/parameters'
import { type Connection, assertServes, signedIn } from '#oauth2/token_owners'
import { assertCanGrant, assertSubset } from '#oauth2/scopes'
import { DEVICE_CODE } from '#oauth2/settings'
import { newCode } from '#oauth2/tokens/token_issuer'
import { generateSecret, hashSecret, randomText, readTyped } from '#security/secrets'

/** Consonants alone, so that no code is a word or has a letter that is taken for a digit (RFC 8628 §6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'

/** 20 to the power of 8 is 34 bits, against the few guesses that a person has (RFC 8628 §5.1). */
const LENGTH = 8

const USER_CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** As people read it: `WDJB-MJHT`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/** What a person typed as a user code without its dash, in whatever case; null when it cannot be one. */
export function readUserCode(typed: string): string | null {
  const code = readTyped(typed).toUpperCase()
  return USER_CODE.test(code) ? code : null
}

const TRIES = 5

/** Devices that ask to be signed in, and the people who decide about them (RFC 8628). */
export class DeviceAuthorizations extends ServerPart {
  get isEnabled(): boolean {
    return this.server.config.grantTypes.includes(DEVICE_CODE)
  }

  /** Begins the sign-in of a device. @throws {AuthError} when the client may not ask for this */
  async begin(request: ClientRequest) {
    const { config, manager, authentication } = this.server
    const { ctx } = request
    const client = await authentication.authenticate(request)
    assertMayUse(config, client, DEVICE_CODE)
    const access = requestedAccess(this.server, request, client)
    /* Each request leaves a row. */
    await manager.feature('throttle')?.penalize('deviceAuthorizations', null, ctx)

    const deviceCode = generateSecret()
    const { codeTtl, interval } = config.device
    const createdAt = Date.now()
    const userCode = await this.#insert({
      deviceCodeHash: hashSecret(deviceCode),
      clientId: client.id,
      ...access,
      ...callerOf(ctx),
      interval,
      polledAt: null,
      decision: null,
      codeHash: null,
      createdAt,
      expiresAt: createdAt + codeTtl * 1000,
    })
    const page = `${this.server.issuerOf(ctx.request)}/device`
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${userCode}`,
      expires_in: codeTtl,
      interval,
    }
  }

  /**
   * The request that waits under a user code, for the person who is signed in. Codes that lead to
   * none count against the person and their address (RFC 8628 §5.1).
   * @throws {Unauthenticated | Throttled | UnknownAuthorization}
   * @throws {UnauthorizedClient} for a client that acts for the users of another user provider
   */
  async find(ctx: HttpContext, typed: string): Promise<DeviceQuestion> {
    const { manager, clients, tokens, guard } = this.server
    const person = await signedIn(ctx, guard)
    const { user } = person
    const look = async () => {
      const code = readUserCode(typed)
      const record = code && (await tokens.devices.findByUserCode(hashSecret(code)))
      return record && record.decision === null && !isExpired(record.expiresAt) ? record : null
    }
    const subject = `${user.provider} ${user.userId}`
    const record = await attempt(manager, 'deviceUserCodes', subject, ctx, look)
    const client = record && (await clients.find(record.clientId))
    assertWaits(client, 'user code unknown, used or expired')
    assertServes(client, user)
    return new DeviceQuestion({ ...person, ctx, record, client }, this.server)
  }

  async #insert(record: Omit<DeviceRecord, 'userCodeHash'>): Promise<string> {
    for (let tried = 0; tried < TRIES; tried++) {
      const code = randomText(LENGTH, ALPHABET)
      const userCodeHash = hashSecret(code)
      if (await this.server.tokens.devices.insert({ ...record, userCodeHash })) {
        return formatUserCode(code)
      }
    }
    throw new ServerError(undefined, { reason: 'no user code free' })
  }
}

/** A device that waits for the decision of a person. It is decided once. */
export class DeviceQuestion {
  #isNewConnection = false

  constructor(
    protected parts: Omit<Connection, 'isNewConnection'> & {
      ctx: HttpContext
      record: DeviceRecord
      user: Owner
    },
    protected server: AuthorizationServer
  ) {}

  get connection(): Connection {
    return { ...this.parts, isNewConnection: this.#isNewConnection }
  }

  /** What a page has to say: who asks, and from where (RFC 8628 §5.4). Times are epoch seconds. */
  describe() {
    const { record, client, user } = this.parts
    return {
      client_id: client.id,
      client_name: client.name,
      client_host: client.host,
      user_id: user.userId,
      resource: record.resource,
      scopes: this.server.catalogue.describe(record.scopes),
      ip_address: record.ipAddress,
      ...describeDevice(record.userAgent),
      requested_at: toSeconds(record.createdAt),
      expires_at: toSeconds(record.expiresAt),
    }
  }

  choices() {
    return this.server.contexts.question(this.parts.ctx, this.parts.user)
  }

  /**
   * Allows the request, or a part of its scopes. The device gets its tokens at its next poll.
   * @throws {InvalidScope} for a scope that was not requested, or when none is left
   * @throws {AccessDenied} for more scopes or another context than those of the approving token
   * @throws {UnknownAuthorization} when it has been decided or has expired
   */
  async approve(decision: Decision = {}): Promise<void> {
    const { ctx, record, client, user, context } = this.parts
    const { config, authorization, openid, contexts, announce } = this.server
    const { scopes = record.scopes } = decision
    assertSubset(scopes, record.scopes)
    assertCanGrant(context, scopes)
    const chosen = await contexts.read(user, context, decision)
    /* A code that nobody knows: the device redeems it by its own code alone. */
    const authentication = openid?.authenticationIn(ctx, scopes) ?? null
    const { resource, scopes: requested, deviceCodeHash } = record
    const fields = { ...user, clientId: client.id, scopes, resource, authentication }
    const { record: code } = newCode(fields, config.authorizationCodeTtl)
    const approval = { requested, context: chosen, redirectHost: null, deviceCodeHash }
    this.#isNewConnection = await authorization.grant(ctx, code, approval)
    announce('oauth2:consent_given', { ...this.#event, scopes })
  }

  /** @throws {UnknownAuthorization} when it has been decided or has expired */
  async deny(): Promise<void> {
    const { deviceCodeHash } = this.parts.record
    const { devices } = this.server.tokens
    assertWaits(await devices.decide(deviceCodeHash, { approved: false }, Date.now()))
    this.server.announce('oauth2:consent_denied', this.#event)
  }

  get #event(): ConsentEvent {
    const { client, user, record } = this.parts
    const { scopes, resource } = record
    return { clientId: client.id, userId: user.userId, scopes, resource }
  }
}
