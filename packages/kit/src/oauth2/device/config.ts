import { positiveNumber, withDefaults } from '#config/checks'

/** The `grant_type` of the device flow (RFC 8628 §3.4). It is on when the setting `grantTypes` has it. */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** Sign-in for devices without a browser (RFC 8628). All times are seconds. */
export interface DeviceConfig {
  /** How long a person has to type the code. Default 600. */
  codeTtl?: number
  /** How long a device waits between two polls. Default 5. */
  interval?: number
}

/** @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work */
export function resolveDevice(config: DeviceConfig = {}): Required<DeviceConfig> {
  const { codeTtl, interval } = withDefaults('DeviceConfig', config, { codeTtl: 600, interval: 5 })
  positiveNumber('DeviceConfig', 'codeTtl', codeTtl, { whole: true })
  positiveNumber('DeviceConfig', 'interval', interval, { whole: true })
  return { codeTtl, interval }
}
