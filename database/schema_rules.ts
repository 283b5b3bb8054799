import { type ColumnInfo, type SchemaRules } from '@adonisjs/lucid/types/schema_generator'

const IMPORTS = [{ source: '@adonisjs/lucid/orm', namedImports: ['column'] }]

/** Epoch milliseconds. PostgreSQL hands a bigint over as text. */
const INSTANT: ColumnInfo = {
  tsType: 'number',
  decorator: '@column({ consume: Number })',
  imports: IMPORTS,
}

/** An instant that may be missing. */
const MAYBE_INSTANT: ColumnInfo = {
  tsType: 'number',
  decorator: '@column({ consume: (value) => (value === null ? null : Number(value)) })',
  imports: IMPORTS,
}

/** A list of texts, kept as JSON. */
const LIST: ColumnInfo = {
  tsType: 'string[]',
  decorator:
    '@column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) })',
  imports: IMPORTS,
}

export default {
  tables: {
    sessions: {
      columns: { created_at: INSTANT, last_activity: INSTANT, expires_at: INSTANT },
    },
    oauth_access_tokens: {
      columns: {
        scopes: LIST,
        created_at: INSTANT,
        expires_at: INSTANT,
        revoked_at: MAYBE_INSTANT,
      },
    },
    oauth_refresh_tokens: {
      columns: {
        scopes: LIST,
        created_at: INSTANT,
        expires_at: INSTANT,
        rotated_at: MAYBE_INSTANT,
        revoked_at: MAYBE_INSTANT,
      },
    },
    oauth_auth_codes: {
      columns: {
        scopes: LIST,
        created_at: INSTANT,
        expires_at: INSTANT,
        redeemed_at: MAYBE_INSTANT,
        revoked_at: MAYBE_INSTANT,
      },
    },
    oauth_clients: {
      columns: { redirect_uris: LIST, grant_types: LIST, scopes: LIST, created_at: INSTANT },
    },
    personal_api_tokens: {
      columns: {
        abilities: LIST,
        created_at: INSTANT,
        last_used_at: MAYBE_INSTANT,
        expires_at: MAYBE_INSTANT,
      },
    },
    password_reset_tokens: { columns: { created_at: INSTANT, expires_at: INSTANT } },
  },
} satisfies SchemaRules
