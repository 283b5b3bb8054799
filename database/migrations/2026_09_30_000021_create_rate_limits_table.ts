import { BaseSchema } from '@adonisjs/lucid/schema'

/** The columns are those that the limiter's database store expects, in its order. */
export default class extends BaseSchema {
  protected tableName = 'rate_limits'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.string('key').primary()
      table.integer('points').notNullable().defaultTo(0)
      table.bigInteger('expire').nullable().index().comment('epoch milliseconds')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
