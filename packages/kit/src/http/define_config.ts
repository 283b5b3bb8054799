import { defineConfig as withDefaults } from '@adonisjs/core/bodyparser'
import string from '@adonisjs/core/helpers/string'
import type { BodyParserConfig } from '@adonisjs/core/types/bodyparser'

import { positiveNumber } from '#config/checks'

type Section<Name extends keyof BodyParserConfig> = Partial<BodyParserConfig[Name]>

/** Settings of `config/bodyparser.ts`: AdonisJS's, and limits on the shape of JSON. */
export interface BodyOptions {
  /** Methods whose bodies are read. */
  allowedMethods?: string[]
  /** Urlencoded forms, as in AdonisJS. */
  form?: Section<'form'>
  json?: Section<'json'> & {
    /** How many levels of lists and objects may lie in each other. */
    maxDepth?: number
    /** How many values and names a body may have. */
    maxElements?: number
  }
  /** Bodies of other types, as in AdonisJS. */
  raw?: Section<'raw'>
  /** `autoProcess` and `processManually` are not here: files are read by routes that name `files`. */
  multipart?: Omit<Section<'multipart'>, 'autoProcess' | 'processManually'>
}

/** How text values are changed on their way in. */
export type Normalize = (value: string) => string | null

/** Settings with defaults filled in and sizes in bytes. */
export type BodyConfig = ReturnType<typeof defineConfig>

/** @throws {InvalidArgumentsException} for a size that cannot be read, and for a number that is not above 0 */
export function defineConfig(options: BodyOptions = {}) {
  const { allowedMethods, form, json, raw, multipart } = withDefaults(options)
  const above0 = (section: keyof BodyOptions, setting: string, value: number) =>
    positiveNumber(`BodyParserConfig "${section}"`, setting, value, { whole: true })

  return {
    allowedMethods,
    form: {
      types: form.types,
      limit: above0('form', 'limit', bytes(form.limit)),
      queryString: { allowDots: true, ...form.queryString } as object,
      normalize: normalizer(form),
    },
    json: {
      types: json.types,
      limit: above0('json', 'limit', bytes(json.limit)),
      maxDepth: above0('json', 'maxDepth', options.json?.maxDepth ?? 32),
      maxElements: above0('json', 'maxElements', options.json?.maxElements ?? 10_000),
      normalize: normalizer(json),
    },
    raw: { types: raw.types, limit: above0('raw', 'limit', bytes(raw.limit)) },
    multipart: {
      types: multipart.types,
      /** Of a whole body with files. */
      limit: above0('multipart', 'limit', bytes(multipart.limit)),
      /** Of a whole body without files, and of all fields of one with files. */
      fieldsLimit: above0('multipart', 'fieldsLimit', bytes(multipart.fieldsLimit ?? '2mb')),
      maxFields: above0('multipart', 'maxFields', multipart.maxFields),
      /** Name or path of the next temporary file; random names in the system's folder when absent. */
      tmpFileName: multipart.tmpFileName,
      normalize: normalizer(multipart),
    },
  }
}

/** Bytes of a size like `56kb`. */
export const bytes = (size: string | number): number => Number(string.bytes.parse(size))

const normalizer =
  (section: Record<'trimWhitespaces' | 'convertEmptyStringsToNull', boolean>): Normalize =>
  (value) => {
    const text = section.trimWhitespaces ? value.trim() : value
    return text === '' && section.convertEmptyStringsToNull ? null : text
  }
