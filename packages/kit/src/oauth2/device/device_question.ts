import type { HttpContext } from '@adonisjs/core/http'

import type { Owner } from '#auth/users'
import { UnknownAuthorization } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Decision } from '#oauth2/authorize/authorization'
import type { Connection } from '#oauth2/recorded_acts'
import type { DeviceDecision, DeviceRecord } from '#oauth2/device/device_store'
import type { ConsentEvent } from '#oauth2/events'
import { assertCanGrant, assertSubset } from '#oauth2/scopes'
import { newCode } from '#oauth2/tokens/token_issuer'
import { toSeconds } from '#database/expiry'
import { describeDevice } from '#http/device'

/** A device that waits for the decision of a person. It is decided once. */
export class DeviceQuestion {
  /** Whether the approval has made a grant: the client can act for the user from now on. */
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

  /** What the person can choose to allow it for; null for nothing. */
  choices() {
    return this.server.contexts.question(this.parts.ctx, this.parts.user)
  }

  /**
   * Allows the request, or a part of its scopes. The device gets its tokens at its next poll.
   *
   * @throws {InvalidScope} for a scope that was not requested, or when none is left
   * @throws {AccessDenied} for more scopes or another context than those of the approving token
   * @throws {UnknownAuthorization} when it has been decided or has expired
   */
  async approve(decision: Decision = {}): Promise<void> {
    const { ctx, record, client, user, context } = this.parts
    const { config, codes, openid, contexts, announce } = this.server
    const { scopes = record.scopes } = decision
    assertSubset(scopes, record.scopes)
    assertCanGrant(context, scopes)
    const chosen = await contexts.read(user, context, decision)
    /* A code that nobody knows: the device redeems it by its own code alone. */
    const { record: code } = newCode(
      {
        ...user,
        clientId: client.id,
        scopes,
        resource: record.resource,
        authentication: openid?.authenticationIn(ctx, scopes) ?? null,
      },
      config.authorizationCodeTtl
    )
    await this.#decide({ approved: true, codeHash: code.codeHash })
    const approval = { requested: record.scopes, context: chosen, redirectHost: null }
    this.#isNewConnection = await codes.grant(code, approval)
    announce('oauth2:consent_given', { ...this.#event, scopes })
  }

  /** @throws {UnknownAuthorization} when it has been decided or has expired */
  async deny(): Promise<void> {
    await this.#decide({ approved: false })
    this.server.announce('oauth2:consent_denied', this.#event)
  }

  async #decide(decision: DeviceDecision) {
    const { deviceCodeHash } = this.parts.record
    if (!(await this.server.tokens.devices.decide(deviceCodeHash, decision, Date.now()))) {
      throw new UnknownAuthorization(undefined, { reason: 'decided by another request' })
    }
  }

  get #event(): ConsentEvent {
    const { client, user, record } = this.parts
    const { scopes, resource } = record
    return { clientId: client.id, userId: user.userId, scopes, resource }
  }
}
