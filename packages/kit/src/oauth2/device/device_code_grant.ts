import { AccessDenied, AuthError } from '#auth/errors'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { DEVICE_CODE } from '#oauth2/settings'
import type { DeviceRecord } from '#oauth2/device/device_store'
import {
  type AssertGrant,
  type Grant,
  assertMayUse,
  assertResource,
  grantAssertion,
} from '#oauth2/grants/grant'
import { isExpired } from '#database/records'
import { hashSecret } from '#security/secrets'
import { assertOr } from '#process/assert_or'

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
      /* The approval is being written, or the code has been purged with its tokens. */
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
