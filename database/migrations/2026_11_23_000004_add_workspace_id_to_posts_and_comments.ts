import { BaseSchema } from '@adonisjs/lucid/schema'

/** Rows from before have no workspace, and nobody sees them: `node ace workspaces:adopt` gives them one. */
export default class extends BaseSchema {
  async up() {
    this.schema.alterTable('posts', (table) => {
      table.integer('workspace_id').unsigned().nullable()
      table.index(['workspace_id', 'created_at', 'id'])
    })
    this.schema.alterTable('comments', (table) => {
      table.integer('workspace_id').unsigned().nullable()
      table.index(['workspace_id', 'post_id', 'id'])
    })
  }

  async down() {
    this.schema.alterTable('comments', (table) => {
      table.dropIndex(['workspace_id', 'post_id', 'id'])
    })
    this.schema.alterTable('posts', (table) => {
      table.dropIndex(['workspace_id', 'created_at', 'id'])
    })
    /* On SQLite Knex would make the table anew, and what refers to its rows would be deleted. */
    this.schema.raw('ALTER TABLE comments DROP COLUMN workspace_id')
    this.schema.raw('ALTER TABLE posts DROP COLUMN workspace_id')
  }
}
