import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'
import vine from '@vinejs/vine'
import type { SchemaTypes } from '@vinejs/vine/types'
import { DateTime } from 'luxon'

import { hasClock, isTime } from '#database/row_times'
import { isStorable } from '#database/storable_text'
import { assertParameter } from '#json_api/errors'
import { listValues, textsOf } from '#json_api/query_parameters'
import { rememberedOf } from '#process/remembered'
import { isObject, ownMember } from '#process/objects'

const COMPARISONS = { eq: '=', ne: '!=', lt: '<', lte: '<=', gt: '>', gte: '>=' } as const

export type FilterOperator = keyof typeof COMPARISONS | 'in'

/** What callers may filter by under one name. */
export interface FilterRule {
  column: string
  /** A VineJS type for one value: it is validated, and what the type makes of it is compared. */
  value: SchemaTypes
  /** The operators of the name; `eq` alone without it. */
  operators?: readonly FilterOperator[]
}

/** One condition. Values are for bindings, columns are the route's own. */
export type FilterCriterion = { column: string; operator: FilterOperator; values: unknown[] }

/** More values than any list needs; each is a binding of the statement. */
const MAX_VALUES = 100

const validatorOf = rememberedOf(({ value }: FilterRule) => vine.create({ value }))

/**
 * Reads `filter[author]=7`, or with an operator `filter[author][in]=7,8` (JSON:API 1.1, Filtering).
 * @param rules what callers may filter by; keep the object, its validators are compiled once
 * @throws {InvalidParameter} 400 for another name or operator, and for a value of another kind
 */
export async function parseFilter(
  query: Record<string, unknown>,
  rules: Readonly<Record<string, FilterRule>>
): Promise<FilterCriterion[]> {
  if (query.filter === undefined) {
    return []
  }
  const isNamed = isObject(query.filter)
  assertParameter(isNamed, 'filter', 'A filter names what it is about: filter[name].')
  const names = Object.keys(rules).join(', ')
  const criteria: FilterCriterion[] = []
  for (const [name, given] of Object.entries(query.filter as object)) {
    const rule = ownMember(rules, name)
    assertParameter(rule, `filter[${name.slice(0, 100)}]`, `Filters are: ${names}.`)
    for (const [operator, value] of Object.entries(isObject(given) ? given : { eq: given })) {
      const member = isObject(given) ? `[${operator.slice(0, 100)}]` : ''
      criteria.push(await criterion(rule, `filter[${name}]${member}`, operator, value))
    }
  }
  return criteria
}

async function criterion(rule: FilterRule, parameter: string, operator: string, value: unknown) {
  const operators: readonly string[] = rule.operators ?? ['eq']
  const isKnown = operators.includes(operator)
  assertParameter(isKnown, parameter, `Operators are: ${operators.join(', ')}.`)
  const texts = textsOf(value)
  /* A value may hold commas, at which AdonisJS has parted it. */
  const given = operator === 'in' ? listValues(texts) : [texts.join(',')]
  const isCounted = texts.length > 0 && given.length <= MAX_VALUES
  assertParameter(isCounted, parameter, `It has one value, or up to ${MAX_VALUES} for "in".`)
  const values = await Array.fromAsync(given, (one) => validated(rule, parameter, one))
  return { column: rule.column, operator: operator as FilterOperator, values }
}

async function validated(rule: FilterRule, parameter: string, value: string) {
  const [error, result] = await validatorOf(rule).tryValidate({ value })
  assertParameter(!error, parameter, error?.messages[0].message)
  const made: unknown = result.value
  const year = made instanceof Date ? made.getUTCFullYear() : 1
  /* VineJS makes 0 of an empty text. */
  const isGiven = typeof made === 'number' ? value.trim() !== '' : isStorable(String(made))
  const fits = isGiven && year >= 1 && year <= 9999
  assertParameter(fits, parameter, 'No column can have this value.')
  return made
}

/** Makes times what the column holds: SQLite keeps them as texts, and would compare a `Date` as a number. */
function stored({ client, model }: ModelQueryBuilderContract<LucidModel, any>, column: string) {
  const [name, table = model.table] = column.split('.').reverse()
  const isDay = [...model.$columnsDefinitions.values()].some(
    (own) => own.columnName === name && table === model.table && isTime(own) && !hasClock(own)
  )
  const format = isDay ? 'yyyy-MM-dd' : client.dialect.dateTimeFormat
  return (value: unknown) =>
    value instanceof Date ? DateTime.fromJSDate(value).toFormat(format) : value
}

export function applyFilter<Model extends LucidModel>(
  query: ModelQueryBuilderContract<Model, InstanceType<Model>>,
  criteria: readonly FilterCriterion[]
) {
  for (const { column, operator, values: given } of criteria) {
    const values = given.map(stored(query, column))
    void (operator === 'in'
      ? query.whereIn(column, values as never[])
      : query.where(column, COMPARISONS[operator], values[0] as never))
  }
  return query
}
