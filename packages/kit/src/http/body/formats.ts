import { Qs } from '@adonisjs/core/http'
import { safeParse } from '@poppinss/utils/json'

import type { BodyConfig } from '#http/define_config'
import { assertText, MalformedBody } from '#http/errors'
import { assertOr } from '#process/assert_or'

/**
 * The value of a JSON text, an object or a list; an empty text is an empty object. Names that would reach a prototype
 * (`__proto__`, `constructor` with a `prototype` of its own) are left out, as AdonisJS does.
 * @throws {MalformedBody} for what is not JSON, or deeper or wider than the limits
 */
export function parseJson(text: string, config: BodyConfig['json']): object {
  if (text === '') {
    return {}
  }
  const isUsable = /^[ \t\r\n]*[[{]/.test(text)
  assertOr(isUsable, MalformedBody, 'The request body is not a JSON object or list', 422)
  const isSmall = isWithin(text, config)
  assertOr(isSmall, MalformedBody, 'The request body has too many levels or elements')
  return changeTexts(parse(text), (value) => {
    assertText(value)
    return config.normalize(value)
  }) as object
}

function parse(text: string): unknown {
  try {
    return safeParse(text)
  } catch {
    throw new MalformedBody('The request body is not valid JSON')
  }
}

/** Before anything is built: making and validating a million tiny lists would hold all other requests up. */
export function isWithin(
  text: string,
  { maxDepth, maxElements }: Pick<BodyConfig['json'], 'maxDepth' | 'maxElements'>
): boolean {
  let depth = 0
  let elements = 0
  for (let index = 0; index < text.length; index++) {
    switch (text[index]) {
      case '"':
        index = endOfString(text, index)
        break
      case '[':
      case '{':
        depth++
        elements++
        break
      case ']':
      case '}':
        depth--
        break
      case ',':
      case ':':
        elements++
        break
    }
    if (depth > maxDepth || elements > maxElements) {
      return false
    }
  }
  return true
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') {
      backslashes++
    }
    if (backslashes % 2 === 0) {
      return end
    }
  }
  return text.length
}

/** Changes every text in a tree of lists and objects, in place. @throws {MalformedBody} for a name that is not Unicode text */
export function changeTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') {
    return change(value)
  }
  if (Array.isArray(value)) {
    return value.map((item) => changeTexts(item, change))
  }
  if (typeof value !== 'object' || value === null) {
    return value
  }
  const object = value as Record<string, unknown>
  for (const name of Object.keys(object)) {
    assertText(name)
    object[name] = changeTexts(object[name], change)
  }
  return object
}

type Decoder = (text: string, decode: (text: string) => string, ...more: string[]) => unknown

/**
 * The fields of an urlencoded text. Brackets and dots in a name make lists and objects; a name of `Object.prototype` is
 * left out. @throws {MalformedBody} for a field that is not Unicode text
 */
export function parseForm(text: string, { queryString, normalize }: BodyConfig['form']) {
  const decoder: Decoder = (encoded, fallback, _charset, type) => {
    const decoded = fallback(encoded)
    assertText(decoded)
    return type === 'value' ? normalize(decoded) : decoded
  }
  return parser({ ...queryString, decoder }).parse(text)
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
