/*
| Uses Lucid's internals; packages/starter/unit/database/hydration.spec.ts compares with Lucid's
| own models, and says what to look at when an update of Lucid moves them: the constructor of
| BaseModel asks `this.constructor` before it returns a proxy.
*/

import type { LucidModel, LucidRow, ModelAdapterOptions } from '@adonisjs/lucid/types/model'

import type { Row } from '#database/raw_query'
import { MadeOf, isTime, lazyTime } from '#database/row_times'
import { remembered, rememberedOf } from '#process/remembered'

/**
 * What is behind the proxy of a row that was made here, else the row itself: `$attributes` and the
 * like are read from it in a tenth of the time. Columns are not properties of it. A model with
 * getters, which read others, has no other way than its proxy.
 */
export const behindOf = (row: LucidRow): LucidRow => MadeOf.by(row.$attributes)?.behind ?? row

/** The attribute that a column of a result becomes; undefined for one that is none of the model's. */
export function attributeOf(model: LucidModel, column: string): string | undefined {
  const { columnAliasesToAttributes: aliases, columnsToAttributes: columns } = model.$keys as any
  return aliases.get(column) || columns.get(column)
}

export type Hydrate<Model extends LucidModel> = (
  row: Row,
  sideloaded?: object,
  options?: ModelAdapterOptions
) => InstanceType<Model>

/**
 * Makes models of rows as Lucid's `$createFromAdapterResult` does, in a fraction of the time:
 * Lucid sets everything through a proxy, parses each time, and merges what it has set once more.
 */
export const hydrator = rememberedOf(compile) as <Model extends LucidModel>(
  model: Model
) => Hydrate<Model>

/** Constructs models, and gives what is behind their proxies as well. */
function constructor<Model extends LucidModel>(model: Model) {
  let target: LucidRow | null = null
  function Target() {}
  Target.prototype = Object.create(model.prototype as object, {
    constructor: {
      get(this: LucidRow) {
        target = this
        return model
      },
    },
  })
  return () => {
    const proxy = Reflect.construct(model, [], Target) as InstanceType<Model>
    const behind = Object.setPrototypeOf(target ?? proxy, model.prototype as object) as LucidRow
    target = null
    return { proxy, behind }
  }
}

function compile(model: LucidModel): Hydrate<LucidModel> {
  const construct = constructor(model)
  const hasGetters =
    model.$computedDefinitions.size > 0 ||
    [...model.$columnsDefinitions.values()].some((one) => one.hasGetter)
  /* What a column of a result becomes; null for one that is none of the model's. */
  const readerOf = remembered((name: string) => {
    const attribute = attributeOf(model, name)
    if (!attribute) {
      return null
    }
    const definition = model.$getColumn(attribute)!
    const { consume } = definition
    /* Makes a time when it is read; null for what is no time. */
    const lazy = isTime(definition) ? lazyTime(attribute, name, consume!) : null
    return { attribute, consume, lazy }
  })

  return (row, sideloaded, options) => {
    const { proxy, behind } = construct()
    const attributes = behind.$attributes as Row
    const original = behind.$original as Row
    let isFlat = true
    for (const name of Object.keys(row)) {
      const reader = readerOf(name)
      const raw = row[name]
      if (reader === null) {
        behind.$consumeAdapterResult({ [name]: raw })
      } else if (reader.lazy && (typeof raw === 'string' || raw instanceof Date)) {
        Object.defineProperty(attributes, reader.attribute, reader.lazy)
        Object.defineProperty(original, reader.attribute, reader.lazy)
      } else {
        const { attribute, consume } = reader
        const value: unknown = consume ? consume(raw, attribute, proxy) : raw
        isFlat &&= typeof value !== 'object' || value === null
        attributes[attribute] = value
        original[attribute] = value
      }
    }
    const made = { row, behind: hasGetters ? null : behind, isTouched: false }
    void new MadeOf(attributes, made)
    void new MadeOf(original, made)
    isFlat || behind.$hydrateOriginals()
    sideloaded && Object.assign(behind.$sideloaded, sideloaded)
    behind.$setOptionsAndTrx(options)
    behind.$isPersisted = true
    behind.$isLocal = false
    return proxy
  }
}
