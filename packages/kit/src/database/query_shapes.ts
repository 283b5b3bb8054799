/*
| Uses Knex's internals; packages/starter/unit/database/query_shapes.spec.ts compares with what Knex
| compiles: `_single` and `_statements` of its query builder, and that a SELECT binds the values of
| conditions in their order, then the limit, then the offset.
*/

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { atOnce } from '#database/direct_connection'
import { BoundedMap, rememberedOf } from '#process/remembered'

interface KnexQuery extends PromiseLike<any> {
  client: {
    config: { postProcessResponse?: unknown }
    transacting?: boolean
    queryBuilder(): KnexQuery
  }
  _method: string
  _single: Record<string, any>
  _statements: Record<string, any>[]
  _comments: unknown[]
  _options?: unknown
  _timeout?: unknown
  toSQL(...args: unknown[]): Compiled
}

type Compiled = { sql: string; bindings: unknown[]; __knexQueryUid: string }

/**
 * What Knex made of the first query of a shape, by its configuration; null when it bound other
 * values than are found here. A list that can be sorted and filtered has many shapes.
 */
const compiled = rememberedOf((_: object) => new BoundedMap<string, Compiled | null>(500))

let count = 0

/**
 * Has a SELECT compiled by Knex once for all that differ in their values alone, and answered by
 * the driver at once where that is possible: Knex takes longer than SQLite does for most lists.
 */
export function quicken(builder: {
  client: QueryClientContract
  knexQuery: unknown
  debugQueries: boolean
}): void {
  const query = builder.knexQuery as KnexQuery
  if (builder.debugQueries || query._method !== 'select') {
    return
  }
  const { toSQL, then } = Object.getPrototypeOf(query) as KnexQuery
  Object.assign<KnexQuery, Pick<KnexQuery, 'toSQL' | 'then'>>(query, {
    toSQL: (...args) =>
      args.length > 0 ? toSQL.apply(query, args) : compileOnce(query, () => toSQL.call(query)),
    then: (resolve, reject) => answer().then(resolve, reject),
  })

  async function answer() {
    const { client } = query
    const isPlain = !query._options && !query._timeout && !client.transacting
    if (isPlain && !client.config.postProcessResponse) {
      const { sql, bindings } = query.toSQL()
      const done = atOnce(builder.client, (connection) => connection.run(sql, bindings))
      if (done) {
        return done.result
      }
    }
    return then.call(query, (rows) => rows)
  }
}

function compileOnce(query: KnexQuery, compile: () => Compiled): Compiled {
  const { config } = query.client
  const known = compiled(config)
  const shape = new Shape()
  if (!shape.take(query)) {
    return compile()
  }
  const key = JSON.stringify(shape.parts)
  const found = known.get(key)
  if (found) {
    return { ...found, bindings: shape.bindings, __knexQueryUid: `known-${++count}` }
  }
  const fresh = compile()
  if (found === undefined) {
    const isEqual =
      fresh.bindings.length === shape.bindings.length &&
      fresh.bindings.every((value, index) => Object.is(value, shape.bindings[index]))
    known.set(key, isEqual ? fresh : null)
  }
  return fresh
}

/** What a query has in common with others that differ in their values alone, and its values. */
class Shape {
  readonly parts: unknown[] = []
  readonly bindings: unknown[] = []

  /** Reads a SELECT; false when it has anything that is not known here. */
  take(query: KnexQuery): boolean {
    const { table, limit, offset, skipBinding, ...others } = query._single
    const hasLimit = limit !== undefined && limit !== null
    const isKnown =
      typeof table === 'string' &&
      !Object.values(others).some(Boolean) &&
      !Object.values(skipBinding ?? {}).some(Boolean) &&
      isValue(limit ?? 0) &&
      isValue(offset ?? 0) &&
      /* For an offset without a limit Knex adds one on SQLite. */
      (hasLimit || !offset) &&
      query._comments.length === 0 &&
      query._statements.every((statement) => this.#add(statement, query))
    this.parts.push(table, hasLimit, !offset)
    hasLimit && this.bindings.push(limit)
    offset && this.bindings.push(offset)
    return isKnown
  }

  #add(statement: Record<string, any>, query: KnexQuery): boolean {
    const { grouping, type = grouping, bool, not, column, operator, value } = statement
    this.parts.push(type, bool, not, column)
    switch (type) {
      case 'columns':
        return !statement.distinct && !statement.distinctOn && value.every(this.#addColumn, this)
      case 'aggregate':
        this.parts.push(statement.method, value, statement.alias, statement.aggregateDistinct)
        return typeof value === 'string'
      case 'orderByBasic':
        this.parts.push(value, statement.direction, statement.nulls)
        return areTexts(value, statement.direction ?? '', statement.nulls ?? '')
      case 'whereNull':
        return areTexts(column)
      case 'whereBasic':
        this.parts.push(operator)
        this.bindings.push(value)
        return areTexts(column, operator) && !statement.asColumn && isValue(value)
      case 'whereIn':
      case 'whereBetween':
        return areTexts(column) && Array.isArray(value) && this.#addValues(value)
      case 'whereWrapped':
        return typeof value === 'function' && this.#addGroup(query.client.queryBuilder(), value)
      default:
        return false
    }
  }

  /** A column: its name, or raw SQL of names. One that binds values has more bindings than are found here. */
  #addColumn(column: any): boolean {
    const isRaw = column?.isRawInstance === true && !column._wrappedBefore && !column._wrappedAfter
    this.parts.push(isRaw ? [column.sql, column.bindings] : column)
    return areTexts(...(isRaw ? column.bindings : [column]))
  }

  #addValues(values: unknown[]): boolean {
    this.parts.push(values.length)
    this.bindings.push(...values)
    return values.every(isValue)
  }

  #addGroup(group: KnexQuery, addConditions: (group: KnexQuery) => void): boolean {
    addConditions.call(group, group)
    const isKnown = group._statements.every(
      (statement) => statement.grouping === 'where' && this.#add(statement, group)
    )
    this.parts.push(')')
    return isKnown
  }
}

const areTexts = (...values: unknown[]) => values.every((value) => typeof value === 'string')

/** Whether Knex binds a value as it is. */
const isValue = (value: unknown) => ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
