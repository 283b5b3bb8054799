import { Qs } from '@adonisjs/core/http'

import { changeTexts } from '#http/body/json'
import { assertText } from '#http/errors'
import type { BodyConfig } from '#http/define_config'

type Decoder = (text: string, decode: (text: string) => string, ...more: string[]) => unknown

const MAX_FLAT = 100
const BRACKET = /[[\]]|%5[bd]/i
const PLAIN_NAME = /^[a-z][\w-]*$/i

/**
 * The fields of an urlencoded text. Brackets and dots in a name make lists and objects; a name of `Object.prototype` is
 * left out. @throws {MalformedBody} for a field that is not Unicode text
 */
export function parseForm(text: string, config: BodyConfig['form']): Record<string, unknown> {
  const isPlain = Object.keys(config.queryString).every((option) => option === 'allowDots')
  return (isPlain ? parseFlat(text, config.normalize) : null) ?? parseTree(text, config)
}

/** What most forms are: names of letters, each once. Null for any other form; half of the work for these. */
function parseFlat(text: string, normalize: BodyConfig['form']['normalize']) {
  const pairs = text.split('&')
  if (pairs.length > MAX_FLAT || BRACKET.test(text)) {
    return null
  }
  const values: Record<string, unknown> = {}
  for (const pair of pairs) {
    const separator = pair.indexOf('=')
    const name = pair.slice(0, separator)
    if (separator < 1 || !PLAIN_NAME.test(name) || name in values) {
      return null
    }
    const value = decode(pair.slice(separator + 1))
    assertText(value)
    values[name] = normalize(value)
  }
  return values
}

/** A `%` that encodes nothing stands for itself, and all of its value then, as in qs. */
function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  try {
    return spaced.includes('%') ? decodeURIComponent(spaced) : spaced
  } catch {
    return spaced
  }
}

function parseTree(text: string, config: BodyConfig['form']): Record<string, unknown> {
  const decoder: Decoder = (encoded, fallback, _charset, type) => {
    const decoded = fallback(encoded)
    assertText(decoded)
    return type === 'value' ? config.normalize(decoded) : decoded
  }
  return parser({ ...config.queryString, decoder }).parse(text)
}

/** Named values as a form would: brackets and dots make lists and objects. A value stays what it is. */
export function assemble(fields: [name: string, value: unknown][], queryString: object) {
  const decoder: Decoder = (encoded, fallback) => fallback(encoded)
  /* Numbers stand for the values meanwhile, so that none can be mistaken for a part of the tree. */
  const text = fields.map(([name], index) => `${encodeURIComponent(name)}=${index}`).join('&')
  const tree = parser({ ...queryString, parameterLimit: Infinity, decoder }).parse(text)
  return changeTexts(tree, (index) => fields[Number(index)]?.[1]) as Record<string, unknown>
}

const parser = (options: object) =>
  new Qs({ parse: options, stringify: {} } as ConstructorParameters<typeof Qs>[0])
