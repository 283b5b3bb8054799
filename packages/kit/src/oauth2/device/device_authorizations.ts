import type { HttpContext } from '@adonisjs/core/http'

import { ServerError, UnknownAuthorization } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { DEVICE_CODE } from '#oauth2/settings'
import { DeviceQuestion } from '#oauth2/device/device_question'
import type { DeviceRecord } from '#oauth2/device/device_store'
import { formatUserCode, generateUserCode, readUserCode } from '#oauth2/device/user_code'
import { assertMayUse, requestedAccess } from '#oauth2/grants/grant'
import { assertServes, signedIn } from '#oauth2/token_owners'
import { callerOf } from '#http/device'
import { isExpired } from '#database/expiry'
import { generateSecret, hashSecret } from '#security/secrets'

/** User codes that are tried until one is free. */
const TRIES = 5

/** Devices that ask to be signed in, and the people who decide about them (RFC 8628). */
export class DeviceAuthorizations {
  constructor(protected server: AuthorizationServer) {}

  get isEnabled(): boolean {
    return this.server.config.grantTypes.includes(DEVICE_CODE)
  }

  /** RFC 8628 §4 */
  metadata(issuer: string) {
    const endpoint = `${issuer}/oauth/device_authorization`
    return this.isEnabled && { device_authorization_endpoint: endpoint }
  }

  /** Begins the sign-in of a device. @throws {AuthError} when the client may not ask for this */
  async begin(request: ClientRequest) {
    const { config, manager, authentication, issuer } = this.server
    const { ctx } = request
    const client = await authentication.authenticate(request, authentication.read(request))
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
    const page = `${issuer.of(ctx.request)}/device`
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
   *
   * @throws {Unauthenticated | Throttled | UnknownAuthorization}
   * @throws {UnauthorizedClient} for a client that acts for the users of another user provider
   */
  async find(ctx: HttpContext, typed: string): Promise<DeviceQuestion> {
    const { manager, clients } = this.server
    const person = await signedIn(ctx, this.server.guard)
    const { user } = person
    const look = () => this.#look(typed)
    const subject = `${user.provider} ${user.userId}`
    const throttle = manager.feature('throttle')
    const record = await (throttle?.attempt('deviceUserCodes', subject, ctx, look) ?? look())
    const client = record && (await clients.find(record.clientId))
    if (!client) {
      throw new UnknownAuthorization(undefined, { reason: 'user code unknown, used or expired' })
    }
    assertServes(client, user)
    return new DeviceQuestion({ ...person, ctx, record, client }, this.server)
  }

  async #look(typed: string): Promise<DeviceRecord | null> {
    const code = readUserCode(typed)
    const record = code && (await this.server.tokens.devices.findByUserCode(hashSecret(code)))
    return record && record.decision === null && !isExpired(record.expiresAt) ? record : null
  }

  /** @returns the user code that was free */
  async #insert(record: Omit<DeviceRecord, 'userCodeHash'>): Promise<string> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const code = generateUserCode()
      const userCodeHash = hashSecret(code)
      if (await this.server.tokens.devices.insert({ ...record, userCodeHash })) {
        return formatUserCode(code)
      }
    }
    throw new ServerError(undefined, { reason: 'no user code free' })
  }
}
