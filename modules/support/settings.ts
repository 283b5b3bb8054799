import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

/**
 * Checks a setting that counts seconds.
 *
 * @param config how its configuration is called in messages, `SessionConfig` say
 * @throws {InvalidArgumentsException} unless it is a number above 0
 */
export function positiveSeconds(config: string, setting: string, seconds: number): number {
  if (!Number.isFinite(seconds) || seconds <= 0) {
    throw new InvalidArgumentsException(`${config}: "${setting}" must be a number above 0`)
  }
  return seconds
}
