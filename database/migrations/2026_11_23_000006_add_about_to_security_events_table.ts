import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'security_events'

  async up() {
    this.schema.alterTable(this.tableName, (table) => {
      table.string('about').nullable().comment('what else the event is about, e.g. workspace:7')
      table.index(['about', 'created_at'])
    })
  }

  async down() {
    this.schema.alterTable(this.tableName, (table) => {
      table.dropIndex(['about', 'created_at'])
      table.dropColumn('about')
    })
  }
}
