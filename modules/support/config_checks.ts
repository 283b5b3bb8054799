import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

/**
 * Checks a setting that is a number above 0, an amount of seconds as a rule.
 *
 * @param config name of the configuration in error messages, e.g. `SessionConfig`
 * @param rule `whole`: no fractions. `orZero`: 0 is allowed and turns the setting off
 * @throws {InvalidArgumentsException} for anything else
 */
export function positiveNumber(
  config: string,
  setting: string,
  value: number,
  rule: { whole?: boolean; orZero?: boolean } = {}
): number {
  const { whole = false, orZero = false } = rule
  const isNumber = whole ? Number.isSafeInteger(value) : Number.isFinite(value)
  if (!isNumber || value < 0 || (value === 0 && !orZero)) {
    throw new InvalidArgumentsException(
      `${config}: "${setting}" must be a ${whole ? 'whole ' : ''}number above 0${orZero ? ', or 0 to turn it off' : ''}`
    )
  }
  return value
}
