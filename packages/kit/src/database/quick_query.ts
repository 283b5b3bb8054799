/*
| Uses Lucid's internals; packages/starter/unit/database/hydration.spec.ts compares with Lucid's
| own queries: execQuery of ModelQueryBuilder, which `exec`, `first` and `paginate` call, and what
| it does with rows; `paginate` counts with a clone.
*/

import { BaseModel } from '@adonisjs/lucid/orm'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import type {
  LucidModel,
  LucidRow,
  ModelAdapterOptions,
  ModelQueryBuilderContract,
} from '@adonisjs/lucid/types/model'

import { hydrator } from '#database/hydration'
import { quicken } from '#database/query_shapes'
import type { Row } from '#database/raw_query'

const METHODS = ['$consumeAdapterResult', '$hydrateOriginals', '$setAttribute', '$setOptionsAndTrx']

/** Whether a model leaves it to Lucid how a row becomes one. */
function isHydratedByLucid(model: LucidModel): boolean {
  const [own, lucid] = [model.prototype, BaseModel.prototype] as unknown as [Row, Row]
  return (
    model.$createFromAdapterResult === BaseModel.$createFromAdapterResult &&
    METHODS.every((method) => own[method] === lucid[method])
  )
}

/** What the query builder of Lucid has besides its contract. */
interface Builder {
  model: LucidModel
  clientOptions: ModelAdapterOptions
  client: QueryClientContract
  sideloaded: object
  debugQueries: boolean
  knexQuery: { _method: string }
  wrapResultsToModelInstances: boolean
  rowTransformerCallback?: (row: LucidRow) => void
  preloader: any
  execQuery(): Promise<any[]>
  clone(): any
  paginate(page: number, perPage?: number): Promise<object>
}

/** Rows of a query, and what makes a model of one. */
export interface Unhydrated {
  rows: Row[]
  /** What the rows were read through. */
  origin: { client: QueryClientContract; sideloaded: object }
  hydrate(row: Row): LucidRow
}

/**
 * Has a query run by `quicken`, and its rows hydrated by `hydrator`. Hooks, row transformers and
 * preloads run as ever; a model with a hydration of its own keeps it.
 */
export const hydrateQuickly = <Query extends ModelQueryBuilderContract<any, any>>(query: Query) =>
  replaceHydration(query, null)

/** The rows of a query; its models where something of the query or of its model is given them. */
export async function fetchUnhydrated(
  query: ModelQueryBuilderContract<any, any>
): Promise<Unhydrated | LucidRow[]> {
  let unhydrated: Unhydrated | undefined
  const models: LucidRow[] = await replaceHydration(query, (found) => (unhydrated = found)).exec()
  return unhydrated ?? models
}

function replaceHydration<Query extends ModelQueryBuilderContract<any, any>>(
  query: Query,
  take: ((found: Unhydrated) => void) | null
): Query {
  const builder = query as unknown as Builder
  if (!isHydratedByLucid(builder.model) || Object.hasOwn(builder, 'execQuery')) {
    return query
  }
  const { execQuery, clone, paginate } = builder
  let leave = take
  /* V8 would make functions that are assigned one by one in old space, where they keep the rows. */
  return Object.assign<Query, Partial<Builder> & ThisType<Builder>>(query, {
    async paginate(...args) {
      let found: Unhydrated | undefined
      leave = builder.client.isTransaction ? take : (rows) => (found = rows)
      const page = await paginate.apply(builder, args).finally(() => (leave = take))
      return found ? new Proxy(page, new UnreadPage(found)) : page
    },
    clone: () => replaceHydration(clone.call(builder), null),
    async execQuery() {
      quicken(this)
      if (!this.wrapResultsToModelInstances || this.knexQuery._method !== 'select') {
        return execQuery.call(this)
      }
      this.wrapResultsToModelInstances = false
      const rows: Row[] = await execQuery.call(this).finally(() => {
        this.wrapResultsToModelInstances = true
      })
      const make = hydrator(this.model)
      const hydrate = (row: Row) => make(row, this.sideloaded, this.clientOptions)
      if (leave && !watchesModels(this)) {
        leave({ rows, origin: { client: this.client, sideloaded: this.sideloaded }, hydrate })
        return rows
      }
      const models: LucidRow[] = rows.map(hydrate)
      const { rowTransformerCallback, preloader, sideloaded, debugQueries, client } = this
      rowTransformerCallback && models.forEach((row) => rowTransformerCallback(row))
      await preloader.sideload(sideloaded).debug(debugQueries).processAllForMany(models, client)
      return models
    },
  })
}

/** Whether something of the query or of its model is given the models that were fetched. */
function watchesModels({ model, rowTransformerCallback, preloader }: Builder): boolean {
  return (
    rowTransformerCallback !== undefined ||
    Object.keys(preloader.preloads).length > 0 ||
    ['after:fetch', 'after:paginate'].some((name) => (model.$hooks as any).has(name))
  )
}

/** Asks a page for its rows that have not become models. */
const UNREAD = Symbol('unread rows')

type Page = Record<PropertyKey, any>

/** The rows of a page that have not become models; undefined where they have. */
export function unreadRows(page: object): Unhydrated | undefined {
  return (page as { [UNREAD]?: Unhydrated })[UNREAD]
}

/** A page of Lucid whose rows become models when somebody looks at one of them. A document of resources reads them as they are. */
class UnreadPage implements ProxyHandler<Page> {
  constructor(private found?: Unhydrated) {}

  get(page: Page, name: PropertyKey, receiver: unknown): unknown {
    return name === UNREAD ? this.found : Reflect.get(this.#read(page, name), name, receiver)
  }

  set(page: Page, name: PropertyKey, value: unknown, receiver: unknown): boolean {
    return Reflect.set(this.#read(page, name), name, value, receiver)
  }

  getOwnPropertyDescriptor(page: Page, name: PropertyKey) {
    return Reflect.getOwnPropertyDescriptor(this.#read(page, name), name)
  }

  #read(page: Page, name: PropertyKey): Page {
    if (this.found && typeof name === 'string' && /^(rows|\d+)$/.test(name)) {
      const { rows, hydrate } = this.found
      this.found = undefined
      rows.forEach((row, index) => {
        page[index] = page.rows[index] = hydrate(row)
      })
    }
    return page
  }
}
