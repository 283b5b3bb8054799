import { Exception } from '@adonisjs/core/exceptions'
import type { NormalizeConstructor } from '@adonisjs/core/types/helpers'
import { errors } from '@adonisjs/lucid'
import type { BaseModel } from '@adonisjs/lucid/orm'
import type { LucidModel, ModelAdapterOptions } from '@adonisjs/lucid/types/model'

import { assertOr } from '#process/assert_or'

/** The largest key that an integer column of PostgreSQL holds. */
export const MAX_KEY = 2 ** 31 - 1

/** Whether a text can be the key of a row, which has one spelling: not `011`. PostgreSQL fails on what its column cannot hold. */
export const isKey = (text: string) => /^(0|[1-9]\d{0,9})$/.test(text) && Number(text) <= MAX_KEY

/** A mixin for models whose rows are found by the id in a URL. */
export function FoundByParam<Model extends NormalizeConstructor<typeof BaseModel>>(
  superclass: Model
) {
  return class extends superclass {
    /** In a transaction it locks the row. @throws {E_ROW_NOT_FOUND} 404, also for an id that the column cannot hold */
    static async findByParam<Self extends LucidModel>(
      this: Self,
      id: string,
      options?: ModelAdapterOptions
    ): Promise<InstanceType<Self>> {
      assertOr(isKey(id), errors.E_ROW_NOT_FOUND, this)
      const query = this.query(options).where(this.primaryKey, Number(id))
      /* Of two removals at once the second finds no row. */
      return (options?.client?.isTransaction ? query.forUpdate() : query).firstOrFail()
    }
  }
}

/** The key in a URL. @throws {E_ROW_NOT_FOUND} 404 when it is none */
export function asId(text: string): number {
  const missing = { status: 404, code: 'E_ROW_NOT_FOUND' }
  assertOr(isKey(text), Exception, 'There is no such row.', missing)
  return Number(text)
}
