import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

/**
 * Checks a setting that is a number above 0, an amount of seconds as a rule.
 * @param config name of the configuration in error messages, e.g. `SessionConfig`
 * @param rule `whole`: no fractions. `orZero`: 0 is allowed and turns the setting off
 * @throws {InvalidArgumentsException} for anything else
 */
export function positiveNumber(
  config: string,
  setting: string,
  value: number,
  { whole = false, orZero = false }: { whole?: boolean; orZero?: boolean } = {}
): number {
  const isNumber = whole ? Number.isSafeInteger(value) : Number.isFinite(value)
  assertArgument(
    isNumber && (value > 0 || (value === 0 && orZero)),
    `${config}: "${setting}" must be a ${whole ? 'whole ' : ''}number above 0${orZero ? ', or 0 to turn it off' : ''}`
  )
  return value
}

/** @throws {InvalidArgumentsException} with the message, unless the condition holds */
export function assertArgument(isRight: unknown, message: string): asserts isRight {
  if (!isRight) {
    throw new InvalidArgumentsException(message)
  }
}

/** The names of all settings of a configuration, for `assertKnownKeys`: a missing or invented one fails to compile. */
export type KeysOf<Config> = Record<keyof Config, unknown>

/**
 * Refuses keys that nobody reads: a misspelled setting would silently leave its default in force.
 * @param rule `open`: keys that are like none of the known ones are the application's own
 * @throws {InvalidArgumentsException} naming the nearest key
 */
export function assertKnownKeys(
  owner: string,
  value: object,
  known: object,
  { open = false }: { open?: boolean } = {}
): void {
  const names = Object.keys(known)
  for (const key of Object.keys(value).filter((name) => !names.includes(name))) {
    const nearest = nearestName(key, names)
    assertArgument(
      nearest === null,
      `${owner}: unknown setting "${key}": did you mean "${nearest}"?`
    )
    assertArgument(open, `${owner}: unknown setting "${key}". Known: ${names.join(', ')}`)
  }
}

/** Every setting of a configuration with its default, undefined for one that has none. */
export type DefaultsOf<Config> = { [Key in keyof Required<Config>]: Config[Key] | undefined }

/** A setting is there unless its default is undefined. */
export type Filled<Config, Defaults> = {
  [Key in keyof Required<Config>]: Key extends keyof Defaults
    ? undefined extends Defaults[Key]
      ? Config[Key]
      : NonNullable<Config[Key]> | Defaults[Key]
    : never
}

/**
 * A configuration with its defaults. A missing or invented one fails to compile.
 * @throws {InvalidArgumentsException} for a setting that nobody reads
 */
export function withDefaults<Config extends object, const Defaults extends DefaultsOf<Config>>(
  owner: string,
  config: Config,
  defaults: Defaults & Record<Exclude<keyof Defaults, keyof Config>, never>
): Filled<Config, Defaults> {
  assertKnownKeys(owner, config, defaults)
  const given = Object.entries(config).filter(([, value]) => value !== undefined && value !== null)
  return { ...defaults, ...Object.fromEntries(given) } as Filled<Config, Defaults>
}

/** The name that was most likely meant; null when none is near. */
function nearestName(given: string, names: string[]): string | null {
  const simplify = (name: string) => name.replace(/[-_]/g, '').toLowerCase()
  const wanted = simplify(given)
  const [best] = names
    .map((name) => ({ name, distance: editDistance(wanted, simplify(name)) }))
    .sort((a, b) => a.distance - b.distance)
  return best && best.distance <= Math.max(2, wanted.length / 3) ? best.name : null
}

/** How many letters have to be inserted, removed or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1)!
}

/**
 * At the start: otherwise the first cookie that is written fails.
 * @throws {InvalidArgumentsException} for `sameSite` "none" without `secure` (RFC 6265bis §5.6)
 */
export function assertCookieAttributes(cookie: { sameSite?: unknown; secure?: boolean }): void {
  assertArgument(
    cookie.secure || String(cookie.sameSite).toLowerCase() !== 'none',
    'config/app.ts: "http.cookie.sameSite" none needs "secure": set SESSION_SECURE=true, or another "sameSite"'
  )
}
