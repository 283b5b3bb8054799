import { Qs } from '@adonisjs/core/http'

import { changeTexts } from '#http/body/json'
import { assertText } from '#http/errors'
import type { BodyConfig } from '#http/define_config'

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
