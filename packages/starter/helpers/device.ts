import type { OAuth2Config } from '#kit/oauth2/define_config'
import { DEVICE_CODE, type DeviceConfig } from '#kit/oauth2/settings'
import { HTML } from '#starter/helpers/consent'
import {
  ALL_GRANTS,
  type Fields,
  type TestClient,
  credentials,
  post,
  postToken,
  read,
  useConfig,
} from '#starter/helpers/oauth'
import type { Visitor } from '#starter/helpers/visitor'

/** Turns sign-in for devices on until the test ends. */
export function useDevices(device: DeviceConfig = {}, more: OAuth2Config = {}) {
  return useConfig({ grantTypes: [...ALL_GRANTS, DEVICE_CODE], device, ...more })
}

/** A device asks to be signed in. */
export function askForDevice(client: TestClient, more: Fields = {}, headers = {}) {
  return post(
    '/oauth/device_authorization',
    { ...credentials(client), scope: 'posts:read posts:write', ...more },
    headers
  )
}

/** The codes of a device that has asked. */
export async function beginDevice(client: TestClient, more: Fields = {}) {
  const { status, body } = await askForDevice(client, more)
  if (status !== 200) {
    throw new Error(`The device was refused: ${JSON.stringify(body)}`)
  }
  return body as { device_code: string; user_code: string }
}

export function pollDevice(client: TestClient, deviceCode: string, more: Fields = {}) {
  return postToken({
    grant_type: DEVICE_CODE,
    device_code: deviceCode,
    ...credentials(client),
    ...more,
  })
}

/** Opens the page for a user code in a browser. */
export function openDevice(visitor: Visitor, userCode?: string) {
  const query = userCode === undefined ? '' : `?user_code=${encodeURIComponent(userCode)}`
  return visitor.get(`/device${query}`, { headers: HTML })
}

/** Decides by JSON, as an application's own page does. */
export async function decideDevice(
  visitor: Visitor,
  userCode: string,
  decision: 'approve' | 'deny' = 'approve',
  more: object = {}
) {
  const json = { user_code: userCode, ...more }
  return read(await visitor.send(`/device/${decision}`, json))
}

/** The token response for a device that a person has allowed. */
export async function obtainDeviceTokens(visitor: Visitor, client: TestClient, more: Fields = {}) {
  const { device_code: deviceCode, user_code: userCode } = await beginDevice(client, more)
  await decideDevice(visitor, userCode)
  const { body } = await pollDevice(client, deviceCode)
  return { deviceCode, ...body }
}
