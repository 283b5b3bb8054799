import type { EncryptionService } from '@adonisjs/core/types'
import app from '@adonisjs/core/services/app'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

import { assertRuntime } from '#config/checks'
import { hydrateQuickly } from '#database/quick_query'
import { assertParameter, type ErrorExtras } from '#json_api/errors'
import { CursorPage, pageMembers, type PageSizes, readSize } from '#json_api/pagination'
import { rememberedOf } from '#process/remembered'
import { withFields } from '#json_api/selected_fields'
import type { SortCriterion } from '#json_api/types'

/* Not AdonisJS's service, which needs an application: resources can be imported without one. */
let encryption: EncryptionService
await app?.booted(async () => {
  encryption = await app.container.make('encryption')
})

function problem(kind: string): ErrorExtras {
  return { type: `${CursorPage.PROFILE}${kind}`, profile: CursorPage.PROFILE }
}

/** For `parseSort`: what makes its error that of the profile. */
export const UNSUPPORTED_SORT = problem('unsupported-sort')

type Query = ModelQueryBuilderContract<LucidModel, any>

export type CursorRequest = { size: number; after?: string; before?: string }

/**
 * Reads `page[size]`, `page[after]` and `page[before]`. An empty `page[after]` is the first page.
 * @throws {InvalidParameter} 400 for a size that is not a positive integer or is too large, for
 * both cursors at once, and for any other member
 */
export function parseCursorPage(query: Record<string, unknown>, sizes: PageSizes): CursorRequest {
  if (query.page === undefined) {
    return { size: sizes.perPage }
  }
  const detail = 'A page has a size and a cursor: after or before.'
  const { size, after, before } = pageMembers(query.page, ['size', 'after', 'before'], detail)
  const isOpen = after === undefined || before === undefined
  const refusal = 'A range between two cursors is not supported.'
  assertParameter(isOpen, 'page[before]', refusal, problem('range-pagination-not-supported'))
  const meta = { page: { maxSize: sizes.maxPerPage } }
  return {
    size: readSize(size, sizes, { ...problem('max-size-exceeded'), meta }),
    after: readText(after, 'page[after]') || undefined,
    before: readText(before, 'page[before]'),
  }
}

function readText(value: unknown, parameter: string) {
  const isText = value === undefined || typeof value === 'string'
  assertParameter(isText, parameter, 'It is a cursor from a link of this list.')
  return value
}

/**
 * Fetches the page of a query behind or before a cursor, without counting.
 * @param order columns without nulls, the last of them unique: it decides between rows that are equal in the others
 * @throws {InvalidParameter} 400 for a cursor that is not of this list in this order
 * @throws {RuntimeException} for a column that can be null: rows without a value would be on no page
 */
export async function cursorPaginate<Model extends LucidModel>(
  query: ModelQueryBuilderContract<Model, InstanceType<Model>>,
  order: readonly SortCriterion[],
  { size, after, before }: CursorRequest
): Promise<CursorPage<InstanceType<Model>>> {
  await assertNotNullable(query, order)
  const isBackward = before !== undefined
  const directed = order.map(({ column, order: direction }) => ({
    column,
    order: isBackward === (direction === 'asc') ? ('desc' as const) : ('asc' as const),
  }))
  const cursor = after ?? before
  const parameter = isBackward ? 'page[before]' : 'page[after]'
  const values = cursor === undefined ? undefined : openCursor(cursor, order, parameter)
  values && whereBehind(query, directed, values)

  if (!withFields.has(query)) {
    void query.select(`${query.model.table}.*`)
  }
  order.forEach(({ column }, index) => {
    void query.select(query.client.raw('cast(?? as text) as ??', [column, `cursor_${index}`]))
  })
  const sorted = hydrateQuickly(query).orderBy(directed)
  const rows = await sorted.limit(size + 1)
  const hasMore = rows.length > size
  const page = isBackward ? rows.slice(0, size).reverse() : rows.slice(0, size)

  /* A page whose rows are gone leads back to the row that it began behind. */
  const back = values && [...values.slice(0, order.length), WITH_ROW]
  const cursorOf = (row: InstanceType<Model> | undefined) => {
    const last = row ? order.map((_, index) => String(row.$extras[`cursor_${index}`])) : back
    /* Encrypted, because the resource may hide a column that it is sorted by. */
    return last ? encryption.encrypt(last, { purpose: purposeOf(order) }) : null
  }
  return new CursorPage(page, size, {
    prev: (isBackward ? hasMore : after !== undefined) ? cursorOf(page[0]) : null,
    next: isBackward || hasMore ? cursorOf(page.at(-1)) : null,
  })
}

/** Columns that were looked at, by the model whose connection has them. */
const columnsChecked = rememberedOf((_: LucidModel) => new Set<string>())

/** Asks the database once for each column. A primary key is never null, whatever SQLite says of it. */
async function assertNotNullable({ client, model }: Query, order: readonly SortCriterion[]) {
  const known = columnsChecked(model)
  for (const { column } of order.filter((one) => !known.has(one.column))) {
    const [name, table = model.table] = column.split('.').reverse() as [string, string?]
    /* Lucid's own columnsInfo() names no table inside a transaction. */
    const columns = client.getReadClient().table(table)
    const { nullable } = await columns.columnInfo(name as never)
    const isKey =
      table === model.table && name === model.$keys.attributesToColumns.get(model.primaryKey)
    const fault = `cursorPaginate: "${column}" can be null, and rows without a value would be on no page. Sort by columns that are not nullable`
    assertRuntime(isKey || !nullable, fault)
    known.add(column)
  }
}

/** Behind the values of a cursor whose own row belongs to the page. */
const WITH_ROW = 'with its row'

/** Rows behind the values of a cursor: greater in one column, and equal in those before it. */
function whereBehind(query: Query, order: readonly SortCriterion[], values: readonly string[]) {
  void query.where((outer) => {
    for (const [index, value] of values.entries()) {
      void outer.orWhere((inner) => {
        order.slice(0, index).forEach((equal, before) => {
          void inner.where(equal.column, values[before]!)
        })
        const last = order[index]
        void (last && inner.where(last.column, last.order === 'asc' ? '>' : '<', value))
      })
    }
  })
}

function purposeOf(order: readonly SortCriterion[]) {
  return `json_api.cursor:${order.map((one) => `${one.column} ${one.order}`).join()}`
}

function openCursor(cursor: string, order: readonly SortCriterion[], parameter: string) {
  const values = encryption.decrypt<string[]>(cursor, purposeOf(order))
  assertParameter(values, parameter, 'The cursor does not belong to this list in this order.')
  return values
}
