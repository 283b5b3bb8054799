import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  protected tableName = 'workspaces'

  async up() {
    this.schema.createTable(this.tableName, (table) => {
      table.increments('id').notNullable()
      table.string('slug', 80).notNullable().unique()
      table.string('name', 80).notNullable()
      table.string('personal_of').nullable().unique().comment('its person: provider and id')
      table.bigInteger('created_at').notNullable().comment('epoch milliseconds')
      table.bigInteger('deleted_at').nullable().index().comment('until its purge it can come back')
    })
  }

  async down() {
    this.schema.dropTable(this.tableName)
  }
}
