import { InvalidArgumentsException, RuntimeException } from '@adonisjs/core/exceptions'

import { assertOr } from '#process/assert_or'

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
  const fault = `${config}: "${setting}" must be a ${whole ? 'whole ' : ''}number above 0${orZero ? ', or 0 to turn it off' : ''}`
  assertArgument(isNumber && (value > 0 || (value === 0 && orZero)), fault)
  return value
}

/** @throws {InvalidArgumentsException} with the message, unless the condition holds */
export function assertArgument(isRight: unknown, message: string): asserts isRight {
  assertOr(isRight, InvalidArgumentsException, message)
}

/** @throws {RuntimeException} with the message, unless the condition holds */
export function assertRuntime(isRight: unknown, message: string): asserts isRight {
  assertOr(isRight, RuntimeException, message)
}

/** A name of a header or a cookie (RFC 9110 §5.6.2, RFC 6265 §4.1.1). */
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

const isThere = (value: unknown) => value !== undefined && value !== null

/** What a setting can be, in the words of a message. */
const KINDS = {
  'a text': (value: unknown) => typeof value === 'string',
  'a text that is not empty': (value: unknown) => typeof value === 'string' && value !== '',
  'a name of letters, digits and signs like - and _': (value: unknown) =>
    typeof value === 'string' && TOKEN.test(value),
  'true or false': (value: unknown) => typeof value === 'boolean',
  'a function': (value: unknown) => typeof value === 'function',
  'a list of texts': (value: unknown) => Array.isArray(value) && value.every(KINDS['a text']),
  'texts, one by one': (value: unknown) => Array.isArray(value) && value.every(KINDS['a text']),
  'a list of values that are set': (value: unknown) => Array.isArray(value) && value.every(isThere),
  'an object': (value: unknown) => Object(value) === value && !Array.isArray(value),
}

type Kind = keyof typeof KINDS

/**
 * Checks the kind of a setting, for one that has no default as a rule.
 * @throws {InvalidArgumentsException} for one that is missing, or of another kind
 */
export function assertKind(config: string, setting: string, value: unknown, kind: Kind): void {
  assertArgument(isThere(value), `${config}: "${setting}" is missing: it must be ${kind}`)
  assertArgument(KINDS[kind](value), `${config}: "${setting}" must be ${kind}`)
}

/** The kind of a default. A list says of what it is made when it is not empty; numbers have a check of their own. */
const kindOf = (value: unknown) =>
  Array.isArray(value) && !value.length
    ? 'a list of values that are set'
    : (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind](value))

/** Whether numbers are whole ones, which of them may be 0, and which settings have a rule of their own instead. */
type Rules<Config> = { whole?: boolean } & Partial<Record<'orZero' | 'except', (keyof Config)[]>>

/** The names of all settings of a configuration, for `assertKnownKeys`: a missing or invented one fails to compile. */
export type KeysOf<Config> = Record<keyof Config, unknown>

/**
 * Refuses keys that nobody reads: a misspelled setting would silently leave its default in force.
 * @param rule `open`: keys that are like none of the known ones are the application's own
 * @throws {InvalidArgumentsException} naming the nearest key, and for what is no object
 */
export function assertKnownKeys(
  owner: string,
  value: object,
  known: object,
  { open = false }: { open?: boolean } = {}
): void {
  assertArgument(KINDS['an object'](value), `${owner} must be an object`)
  const names = Object.keys(known)
  for (const key of Object.keys(value).filter((name) => !names.includes(name))) {
    const nearest = nearestName(key, names)
    const misspelt = `${owner}: unknown setting "${key}": did you mean "${nearest}"?`
    assertArgument(nearest === null, misspelt)
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
 * @throws {InvalidArgumentsException} for a setting that nobody reads, or that is of another kind than its default; a number has to be above 0
 */
export function withDefaults<Config extends object, const Defaults extends DefaultsOf<Config>>(
  owner: string,
  config: Config,
  defaults: Defaults & Record<Exclude<keyof Defaults, keyof Config>, never>,
  { whole, orZero = [], except = [] }: Rules<Config> = {}
): Filled<Config, Defaults> {
  assertKnownKeys(owner, config, defaults)
  const given = Object.entries(config).filter(([, value]) => isThere(value))
  const ruled = given.filter(([setting]) => !except.includes(setting as keyof Config))
  for (const [setting, value] of ruled) {
    const usual: unknown = defaults[setting as keyof Defaults]
    const kind = kindOf(usual)
    kind && assertKind(owner, setting, value, kind)
    if (typeof usual === 'number') {
      const mayBeZero = usual === 0 || orZero.includes(setting as keyof Config)
      positiveNumber(owner, setting, value, { whole, orZero: mayBeZero })
    }
  }
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
  const unsafe =
    'config/app.ts: "http.cookie.sameSite" none needs "secure": set SESSION_SECURE=true, or another "sameSite"'
  assertArgument(cookie.secure || String(cookie.sameSite).toLowerCase() !== 'none', unsafe)
}

/** What a `defineConfig` has returned. */
const resolved = new WeakSet<object>()

/** Marks a configuration as checked and complete; for the end of a `defineConfig`. */
export function markResolved<Resolved extends object>(config: Resolved): Resolved {
  resolved.add(config)
  return config
}

/**
 * What `defineConfig` made of a config file: its export, or settings as a plain object or a class with static attributes.
 * @throws {RuntimeException} for a class whose instances have them, and for a function that returns them
 */
export function resolveConfig<Settings, Resolved extends object>(
  exported: unknown,
  defineConfig: (settings: Settings) => Resolved
): Resolved {
  return typeof exported === 'object' && exported !== null && resolved.has(exported)
    ? (exported as Resolved)
    : defineConfig(membersOf(exported) as Settings)
}

/** Every class and instance has these. */
const BUILT_IN = ['length', 'name', 'prototype', 'constructor']

/** The members of a class or an object with what they inherit, methods and accessors too: spreading it would lose these. */
function membersOf(exported: unknown): object {
  if (typeof exported === 'function') {
    const ofInstances = exported.prototype && membersOf(Reflect.construct(exported, []))
    const isStatic = ofInstances && !Object.keys(ofInstances).length
    const unread = `"${exported.name}": a config file exports its settings as an object, or as static members of a class`
    assertRuntime(isStatic, unread)
  }
  const members: Record<string, unknown> = {}
  for (
    let owner = exported as any;
    owner && owner !== Object.prototype && owner !== Function.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (!BUILT_IN.includes(name) && !(name in members)) {
        members[name] = (exported as any)[name]
      }
    }
  }
  return members
}
