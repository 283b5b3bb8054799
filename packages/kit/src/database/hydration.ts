/*
| Uses Lucid's internals; packages/starter/unit/database/hydration.spec.ts compares with Lucid's
| own models, and says what to look at when an update of Lucid moves them:
|
| - the constructor of BaseModel asks `this.constructor` before it returns a proxy;
| - ModelQueryBuilder: execQuery, which `exec`, `first` and `paginate` call, and what it does with rows.
*/

import { BaseModel, column } from '@adonisjs/lucid/orm'
import type {
  ColumnOptions,
  LucidModel,
  LucidRow,
  ModelAdapterOptions,
  ModelQueryBuilderContract,
} from '@adonisjs/lucid/types/model'
import { DateTime, Settings, type Zone } from 'luxon'

type Row = Record<string, unknown>

/** What a column of a result becomes; null for one that is none of the model's. */
type Reader = {
  attribute: string
  consume: ColumnOptions['consume']
  /** Makes a time when it is read; null for what is no time. */
  lazy: PropertyDescriptor | null
} | null

/** How Lucid reads and shows times, unless a model says otherwise. */
const lucidTimes = (() => {
  class Probe extends BaseModel {}
  column.dateTime()(Probe.prototype as never, 'at')
  column.date()(Probe.prototype as never, 'on')
  return { at: Probe.$getColumn('at')!, on: Probe.$getColumn('on')! }
})()

/** Where attributes with times keep the row that these are read from. */
const UNREAD = Symbol('row of unread times')

interface Unread {
  row: Row
  /** Whether a time was read or set: what the row says may be out of date. */
  isTouched: boolean
}

/** Where a row keeps what is behind its proxy. */
const BEHIND = Symbol('behind the proxy')

/**
 * What is behind the proxy of a row that was made here, else the row itself: `$attributes` and the
 * like are read from it in a tenth of the time. Columns are not properties of it. A model with
 * getters, which read others, has no other way than its proxy.
 */
export function behindOf(row: LucidRow): LucidRow {
  return (row as LucidRow & { [BEHIND]?: LucidRow })[BEHIND] ?? row
}

/** An attribute that is made when it is read: times cost more than the rest of their row. */
function lazyTime(
  attribute: string,
  columnName: string,
  consume: NonNullable<ColumnOptions['consume']>
): PropertyDescriptor {
  const common = { enumerable: true, configurable: true }
  const keep = (attributes: Row & { [UNREAD]: Unread }, value: unknown) => {
    attributes[UNREAD].isTouched = true
    Object.defineProperty(attributes, attribute, { value, writable: true, ...common })
    return value
  }
  return {
    get(this: Row & { [UNREAD]: Unread }) {
      return keep(this, consume(this[UNREAD].row[columnName], attribute, null as never))
    },
    set(this: Row & { [UNREAD]: Unread }, value: unknown) {
      keep(this, value)
    },
    ...common,
  }
}

/** Days up to the 28th are in every month. */
const SQL_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:[01]\d|2[0-8]) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{3})?$/

let utc: { zone: Zone | null; suffix: string | null } = { zone: null, suffix: null }

/** How luxon ends a time in a zone that is UTC; null for others, whose offsets vary. */
function utcSuffix(zone: Zone): string | null {
  if (utc.zone !== zone) {
    const isUtc = zone.isUniversal ? zone.offset(0) === 0 : zone.name === 'UTC'
    utc = { zone, suffix: isUtc ? DateTime.fromMillis(0).toISO()!.slice(23) : null }
  }
  return utc.suffix
}

/** What Lucid serializes of a time that nobody has read, without making it; undefined when it has to be made. */
export function unreadTime(attributes: Row, columnName: string): string | undefined {
  const unread = (attributes as { [UNREAD]?: Unread })[UNREAD]
  const text = unread?.row[columnName]
  const suffix = utcSuffix(Settings.defaultZone as Zone)
  if (typeof text !== 'string' || unread!.isTouched || suffix === null || !SQL_TIME.test(text)) {
    return undefined
  }
  const milliseconds = text.length === 19 ? '.000' : ''
  return `${text.slice(0, 10)}T${text.slice(11)}${milliseconds}${suffix}`
}

/** Whether a column shows times as Lucid does. */
export function showsTime({ consume, serialize }: ColumnOptions): boolean {
  return consume === lucidTimes.at.consume && String(serialize) === String(lucidTimes.at.serialize)
}

/** Makes a model of a row of a result. */
export type Hydrate<Model extends LucidModel> = (
  row: Row,
  sideloaded?: object,
  options?: ModelAdapterOptions
) => InstanceType<Model>

const hydrators = new WeakMap<LucidModel, Hydrate<any>>()

/**
 * Makes models of rows as Lucid's `$createFromAdapterResult` does, in a fraction of the time:
 * Lucid sets everything through a proxy, parses each time, and merges what it has set once more.
 */
export function hydrator<Model extends LucidModel>(model: Model): Hydrate<Model> {
  let hydrate = hydrators.get(model) as Hydrate<Model> | undefined
  if (!hydrate) {
    model.boot()
    hydrate = compile(model)
    hydrators.set(model, hydrate)
  }
  return hydrate
}

/** Constructs models, and gives what is behind their proxies as well. */
function constructor<Model extends LucidModel>(model: Model) {
  let isMaking = false
  let target: LucidRow | null = null
  function Target() {}
  Target.prototype = Object.create(model.prototype as object, {
    constructor: {
      get(this: LucidRow) {
        target = isMaking ? this : target
        return model
      },
    },
  })
  return () => {
    isMaking = true
    const proxy = Reflect.construct(model, [], Target) as InstanceType<Model>
    isMaking = false
    const behind = Object.setPrototypeOf(target ?? proxy, model.prototype as object) as LucidRow
    target = null
    return { proxy, behind }
  }
}

function compile<Model extends LucidModel>(model: Model): Hydrate<Model> {
  const construct = constructor(model)
  const hasGetters =
    model.$computedDefinitions.size > 0 ||
    [...model.$columnsDefinitions.values()].some((one) => one.hasGetter)
  const readers = new Map<string, Reader>()
  const findReader = (name: string): Reader => {
    const { columnAliasesToAttributes: aliases, columnsToAttributes: columns } = model.$keys as any
    const attribute: string | undefined = aliases.get(name) || columns.get(name)
    let reader: Reader = null
    if (attribute) {
      const { consume } = model.$getColumn(attribute)!
      const isTime = consume === lucidTimes.at.consume || consume === lucidTimes.on.consume
      reader = { attribute, consume, lazy: isTime ? lazyTime(attribute, name, consume!) : null }
    }
    readers.set(name, reader)
    return reader
  }

  return (row, sideloaded, options) => {
    const { proxy, behind } = construct()
    const attributes = behind.$attributes as Row
    const original = behind.$original as Row
    let isFlat = true
    let hasTimes = false
    for (const name of Object.keys(row)) {
      const reader = readers.get(name) ?? findReader(name)
      const raw = row[name]
      if (reader === null) {
        behind.$consumeAdapterResult({ [name]: raw })
      } else if (reader.lazy && (typeof raw === 'string' || raw instanceof Date)) {
        hasTimes = true
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
    if (hasTimes) {
      const unread = { value: { row, isTouched: false } satisfies Unread }
      Object.defineProperty(attributes, UNREAD, unread)
      Object.defineProperty(original, UNREAD, unread)
    }
    isFlat || behind.$hydrateOriginals()
    sideloaded && Object.assign(behind.$sideloaded, sideloaded)
    behind.$setOptionsAndTrx(options)
    hasGetters || Object.defineProperty(behind, BEHIND, { value: behind })
    behind.$isPersisted = true
    behind.$isLocal = false
    return proxy
  }
}

const HYDRATION = [
  '$consumeAdapterResult',
  '$hydrateOriginals',
  '$setAttribute',
  '$setOptionsAndTrx',
] as const

/** Whether a model leaves it to Lucid how a row becomes one. */
function isHydratedByLucid(model: LucidModel): boolean {
  const [own, lucid] = [model.prototype, BaseModel.prototype] as unknown as [Row, Row]
  return (
    model.$createFromAdapterResult === BaseModel.$createFromAdapterResult &&
    HYDRATION.every((method) => own[method] === lucid[method])
  )
}

/** What the query builder of Lucid has besides its contract. */
interface Builder {
  model: LucidModel
  clientOptions: ModelAdapterOptions
  client: ModelAdapterOptions['client']
  sideloaded: object
  debugQueries: boolean
  knexQuery: { _method: string }
  wrapResultsToModelInstances: boolean
  rowTransformerCallback?: (row: LucidRow) => void
  preloader: any
  execQuery(): Promise<any[]>
}

/**
 * Has the rows of a query hydrated by `hydrator`. Hooks, row transformers and preloads of the
 * query run as ever; a model with a hydration of its own keeps it.
 */
export function hydrateQuickly<Query extends ModelQueryBuilderContract<any, any>>(
  query: Query
): Query {
  const builder = query as unknown as Builder
  if (!isHydratedByLucid(builder.model) || Object.hasOwn(builder, 'execQuery')) {
    return query
  }
  const { execQuery } = builder
  builder.execQuery = async function () {
    if (!this.wrapResultsToModelInstances || this.knexQuery._method !== 'select') {
      return execQuery.call(this)
    }
    this.wrapResultsToModelInstances = false
    const rows: Row[] = await execQuery.call(this).finally(() => {
      this.wrapResultsToModelInstances = true
    })
    const hydrate = hydrator(this.model)
    const models = rows.map((row) => hydrate(row, this.sideloaded, this.clientOptions))
    this.rowTransformerCallback && models.forEach((row) => this.rowTransformerCallback!(row))
    await this.preloader
      .sideload(this.sideloaded)
      .debug(this.debugQueries)
      .processAllForMany(models, this.client)
    return models
  }
  return query
}
