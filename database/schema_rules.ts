import type { SchemaRules } from '@adonisjs/lucid/types/schema_generator'

export default {
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
