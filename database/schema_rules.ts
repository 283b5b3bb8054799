import type { SchemaRules } from '@adonisjs/lucid/types/schema_generator'

export default {
  types: {
    /* SQLite keeps booleans as numbers. */
    boolean: {
      tsType: 'boolean',
      decorator: '@column({ consume: (value) => (value === null ? null : Boolean(value)) })',
      imports: [{ source: '@adonisjs/lucid/orm', namedImports: ['column'] }],
    },
  },
  tables: {
    users: {
      columns: {
        /* Epoch milliseconds that may be missing. PostgreSQL hands a bigint over as text. */
        email_verified_at: {
          tsType: 'number',
          decorator: '@column({ consume: (value) => (value === null ? null : Number(value)) })',
          imports: [{ source: '@adonisjs/lucid/orm', namedImports: ['column'] }],
        },
      },
    },
  },
} satisfies SchemaRules
