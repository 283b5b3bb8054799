import { type ColumnInfo, type SchemaRules } from '@adonisjs/lucid/types/schema_generator'

/** Epoch milliseconds. PostgreSQL hands a bigint over as text. */
const INSTANT: ColumnInfo = {
  tsType: 'number',
  decorator: '@column({ consume: Number })',
  imports: [{ source: '@adonisjs/lucid/orm', namedImports: ['column'] }],
}

const OPTIONAL_INSTANT: ColumnInfo = {
  ...INSTANT,

  decorator: '@column({ consume: (value) => (value === null ? null : Number(value)) })',
}

export default {
  tables: {
    sessions: {
      columns: { created_at: INSTANT, last_activity: INSTANT, expires_at: INSTANT },
    },
    personal_api_tokens: {
      columns: {
        created_at: INSTANT,
        last_used_at: OPTIONAL_INSTANT,
        expires_at: OPTIONAL_INSTANT,
      },
    },
  },
} satisfies SchemaRules
