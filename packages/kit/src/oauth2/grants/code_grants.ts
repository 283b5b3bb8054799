import { InvalidGrant, AccessDenied, AuthError } from '#auth/errors'
import { isExpired } from '#database/records'
import { hashSecret } from '#security/secrets'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { type Grant, assertMayUse, assertResource } from '#oauth2/grants/grant'
import { type AssertGrant, grantAssertion } from '#oauth2/parameters'
import { verifyChallenge } from '#oauth2/pkce'
import type { AuthorizationCodeRecord } from '#oauth2/tokens/token_store'
import { DEVICE_CODE } from '#oauth2/settings'
import type { DeviceRecord } from '#oauth2/device/device_store'
import { assertOr } from '#process/assert_or'

const assertCode: AssertGrant = grantAssertion('The code is invalid, expired or already used.')

/**
 * A code that a user approved becomes tokens (RFC 6749 §4.1.3, with PKCE, RFC 7636 §4.5). A failed attempt
 * leaves it as it was. Presenting it again with all that redeems it revokes its tokens (RFC 6749 §4.1.2).
 */
export class AuthorizationCodeGrant extends ServerPart implements Grant {
  readonly identifier = 'authorization_code'

  async handle(request: ClientRequest) {
    const { config, authentication, dpop, issuance, owners, tokens } = this.server
    const { parameters } = request

    const presented = parameters.require('code')
    const client = await authentication.identify(request)
    assertMayUse(config, client, this.identifier)

    const found = await tokens.findCode(hashSecret(presented), owners.likely)
    assertCode(found !== null, 'code unknown')
    const code = found.record
    assertCode(code.clientId === client.id, 'code of another client')
    assertRedirectUri(code, client, parameters.get('redirect_uri'))
    verifyChallenge(code, parameters.get('code_verifier'))

    await this.#assertNotReused(code, 'code already redeemed')
    assertCode(code.revokedAt === null, 'code revoked')
    assertCode(!isExpired(code.expiresAt), 'code expired')
    const owner = await owners.find(code, client, found.user)
    assertCode(owner, 'owner of the code gone or inactive')
    assertResource(this.server, request, code.resource, 'code')
    const binding = await dpop.bind(request, client)
    const isProven = code.dpopJkt === null || code.dpopJkt === binding?.jkt
    assertCode(isProven, 'code bound to another key')

    const response = await issuance.redeemCode(this.identifier, code, client, binding)
    return response ?? this.#lostTheRace(presented)
  }

  /** Someone else redeemed or revoked the code while this request was being validated. */
  async #lostTheRace(presented: string): Promise<never> {
    const reason = 'code redeemed or revoked by another request'
    const found = await this.server.tokens.findCode(hashSecret(presented))
    if (found) {
      await this.#assertNotReused(found.record, reason)
    }
    assertCode(false, reason)
  }

  async #assertNotReused(code: AuthorizationCodeRecord, reason: string) {
    const { redeemedAt, accessTokenId, clientId, userId } = code
    if (redeemedAt === null) {
      return
    }
    if (accessTokenId !== null) {
      await this.server.tokens.revokeAccessToken(accessTokenId, Date.now())
    }
    this.server.announce('oauth2:reuse_detected', { kind: this.identifier, clientId, userId })
    assertCode(false, reason)
  }
}

/** The URI that the code was sent to (RFC 6749 §4.1.3), or one that is registered if none was sent. */
function assertRedirectUri(code: AuthorizationCodeRecord, client: Client, uri: string | null) {
  const isRegistered = code.redirectUri === null && client.redirectUris.includes(uri!)
  const isSame = uri === code.redirectUri || isRegistered
  assertOr(isSame, InvalidGrant, 'The redirect_uri differs from that of the authorization request.')
}

const assertDevice: AssertGrant = grantAssertion('The device_code is invalid or already used.')

/** Redeems the authorization code that an approval has made, once (RFC 8628 §3.4). */
export class DeviceCodeGrant extends ServerPart implements Grant {
  readonly identifier = DEVICE_CODE

  async handle(request: ClientRequest) {
    const { config, authentication, tokens } = this.server
    const deviceCodeHash = hashSecret(request.parameters.require('device_code'))
    const client = await authentication.identify(request)
    assertMayUse(config, client, this.identifier)

    const device = await tokens.devices.find(deviceCodeHash)
    assertDevice(device, 'device code unknown')
    assertDevice(device.clientId === client.id, 'device code of another client')
    assertResource(this.server, request, device.resource, 'device_code')
    assertOr(device.decision !== 'denied', AccessDenied, 'The user denied the request.')
    return device.decision === 'approved'
      ? this.#redeem(device, client, request)
      : this.#wait(device)
  }

  /** The response to a poll (RFC 8628 §3.5). */
  async #wait({ deviceCodeHash, expiresAt }: DeviceRecord): Promise<never> {
    assertOr(!isExpired(expiresAt), AuthError, 'expired_token')
    const inTime = await this.server.tokens.devices.poll(deviceCodeHash, Date.now())
    throw new AuthError(inTime ? 'authorization_pending' : 'slow_down')
  }

  async #redeem(device: DeviceRecord, client: Client, request: ClientRequest) {
    const { dpop, tokens, owners, issuance } = this.server
    const found = await tokens.findCode(device.codeHash!, owners.likely)
    if (!found) {
      /* A store of the application's own is still writing the approval, or the code has been purged with its tokens. */
      return this.#wait(device)
    }
    const { record: code, user } = found
    const isOpen = code.redeemedAt === null && code.revokedAt === null
    assertDevice(isOpen, 'device code already redeemed, or its approval revoked')
    assertOr(!isExpired(code.expiresAt), AuthError, 'expired_token')
    const owner = await owners.find(code, client, user)
    assertDevice(owner, 'owner of the device code gone or inactive')

    const binding = await dpop.bind(request, client)
    const response = await issuance.redeemCode(this.identifier, code, client, binding)
    assertDevice(response, 'device code redeemed by another request')
    return response
  }
}
