import { type ColumnInfo, type SchemaRules } from '@adonisjs/lucid/types/schema_generator'

/** Epoch milliseconds. PostgreSQL hands a bigint over as text. */
const INSTANT: ColumnInfo = {
  tsType: 'number',
  decorator: '@column({ consume: Number })',
  imports: [{ source: '@adonisjs/lucid/orm', namedImports: ['column'] }],
}

export default {
  tables: {
    sessions: {
      columns: { created_at: INSTANT, last_activity: INSTANT, expires_at: INSTANT },
    },
    password_reset_tokens: { columns: { created_at: INSTANT, expires_at: INSTANT } },
  },
} satisfies SchemaRules
