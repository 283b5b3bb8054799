import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { ColumnOptions, LucidRow } from '@adonisjs/lucid/types/model'
import { DateTime, Settings, type Zone } from 'luxon'

import type { Row } from '#database/raw_query'

/* Times of rows, without the parsing of luxon, which takes longer than all else of a row. */

/** How Lucid reads and shows times, unless a model says otherwise. */
const lucidTimes = (() => {
  class Probe extends BaseModel {}
  column.dateTime()(Probe.prototype as never, 'at')
  column.date()(Probe.prototype as never, 'on')
  return { at: Probe.$getColumn('at')!, on: Probe.$getColumn('on')! }
})()
const serializers = new Map(
  Object.values(lucidTimes).map(({ consume, serialize }) => [consume, String(serialize)])
)

/** Whether a column holds times or days as Lucid reads them. */
export const isTime = ({ consume }: ColumnOptions): boolean => serializers.has(consume)

/** Whether a column shows times or days as Lucid does. */
export function showsTime({ consume, serialize }: ColumnOptions): boolean {
  return serializers.get(consume) === String(serialize)
}

/** Whether it has a time, not a day. */
export const hasClock = ({ consume }: ColumnOptions): boolean => consume === lucidTimes.at.consume

/** Days up to the 28th are in every month. */
const SQL_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:[01]\d|2[0-8]) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?$/

let utc: { zone: Zone | null; suffix: string | null } = { zone: null, suffix: null }

/** How luxon ends a time in a zone that is UTC; null for others, whose offsets vary. */
function utcSuffix(zone: Zone): string | null {
  if (utc.zone !== zone) {
    utc = { zone, suffix: zone.name === 'UTC' ? DateTime.fromMillis(0).toISO()!.slice(23) : null }
  }
  return utc.suffix
}

/** What Lucid serializes of a time in a row, without making it; undefined when it has to be made. */
export function shownTime(text: unknown): string | undefined {
  const suffix = utcSuffix(Settings.defaultZone as Zone)
  if (typeof text !== 'string' || suffix === null || !SQL_TIME.test(text)) {
    return undefined
  }
  const milliseconds = text.length === 19 ? '.000' : ''
  return `${text.slice(0, 10)}T${text.slice(11)}${milliseconds}${suffix}`
}

/** The time of a row as Lucid's `consume` makes it. */
export function timeOf(
  text: unknown,
  attribute: string,
  consume: NonNullable<ColumnOptions['consume']>
): unknown {
  const shown = consume === lucidTimes.at.consume ? shownTime(text) : undefined
  return shown === undefined
    ? consume(text, attribute, null as never)
    : DateTime.fromMillis(Date.parse(`${shown.slice(0, 23)}Z`))
}

/** What a row was made of. */
interface Made {
  row: Row
  /** What is behind its proxy; null where that is no way to read it. */
  behind: LucidRow | null
  /** Whether a time was read or set: what the row says may be out of date. */
  isTouched: boolean
}

class Itself {
  constructor(object: object) {
    return object
  }
}

/**
 * Attributes keep what they were made of in a private field: nobody sees or copies it, and it takes
 * a tenth of the time of a property that is not enumerable.
 */
export class MadeOf extends Itself {
  #made: Made

  constructor(attributes: object, made: Made) {
    super(attributes)
    this.#made = made
  }

  static by(attributes: object): Made | undefined {
    return #made in attributes ? attributes.#made : undefined
  }
}

/** An attribute that is made when it is read. */
export function lazyTime(
  attribute: string,
  columnName: string,
  consume: NonNullable<ColumnOptions['consume']>
): PropertyDescriptor {
  const common = { enumerable: true, configurable: true }
  const keep = (attributes: Row, value: unknown) => {
    MadeOf.by(attributes)!.isTouched = true
    Object.defineProperty(attributes, attribute, { value, writable: true, ...common })
    return value
  }
  return {
    get(this: Row) {
      return keep(this, timeOf(MadeOf.by(this)!.row[columnName], attribute, consume))
    },
    set(this: Row, value: unknown) {
      keep(this, value)
    },
    ...common,
  }
}

/** The text of a time that nobody has read, of an attribute that a column was made of. */
export function unreadTime(attributes: Row, columnName: string): string | undefined {
  const made = MadeOf.by(attributes)
  return made && !made.isTouched ? shownTime(made.row[columnName]) : undefined
}
