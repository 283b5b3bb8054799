import { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, LucidRow } from '@adonisjs/lucid/types/model'

import { hasClock, showsTime } from '#database/row_times'
import type { NameOf, Values } from '#json_api/attributes'
import { relationNames } from '#json_api/readers'
import { remembered } from '#process/remembered'

/** One column, as `serialize` shows it. */
export interface Column {
  attribute: string
  name: string
  /** The column of a result. */
  column: string
  hasGetter: boolean
  /** Whether Lucid serializes it as a time: one that nobody has read is not made. */
  isTime: boolean
  /** Whether a function of it is given the model. */
  takesModel: boolean
  consume?: (value: unknown, attribute: string, row: any) => unknown
  serialize?: (value: unknown, attribute: string, row: any) => unknown
}

/** What a model serializes: names under which relations appear are not attributes. */
const serializedMembers = remembered((model: LucidModel) => {
  const related = new Set(relationNames(model))
  const isShown = ({ name }: { name: string | null }) => name !== null && !related.has(name)
  const columns = [...model.$columnsDefinitions].map(([attribute, definition]) => {
    const { serializeAs: name, columnName: column, hasGetter, consume, serialize } = definition
    const isLucids = !hasGetter && showsTime(definition)
    const takesModel = !isLucids && [consume, serialize].some((one) => one && one.length > 2)
    const isTime = isLucids && hasClock(definition)
    return { attribute, name, column, hasGetter, isTime, takesModel, consume, serialize }
  })
  const computed = [...model.$computedDefinitions].map(([attribute, { serializeAs: name }]) => {
    return { attribute, name }
  })
  return {
    columns: columns.filter(isShown) as Column[],
    computed: computed.filter(isShown) as Pick<Column, 'attribute' | 'name'>[],
  }
}, new WeakMap())

/** What a document shows of it. */
export function shownMembers(model: LucidModel, nameOf: NameOf) {
  const { columns, computed } = serializedMembers(model)
  const shown = <Member extends { name: string }>(members: Member[]) =>
    members.flatMap((one) => {
      const name = nameOf(one.name)
      return name === null ? [] : [{ ...one, name }]
    })
  return {
    columns: new Map(shown(columns).map((one) => [one.attribute, one])),
    computed: shown(computed),
  }
}

const SERIALIZERS = [
  'serialize',
  'serializeAttributes',
  'serializeComputed',
  'shouldSerializeField',
] as const

/** Whether a row, or all those of a prototype, are serialized as Lucid does it: column by column. */
export function serializesColumns(row: LucidRow): boolean {
  const [own, lucid] = [row, BaseModel.prototype] as unknown as [Values, Values]
  return SERIALIZERS.every((method) => own[method] === lucid[method])
}
