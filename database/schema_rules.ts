import type { ColumnInfo, SchemaRules } from '@adonisjs/lucid/types/schema_generator'

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

/** The type of a counted key on PostgreSQL is bigint, on SQLite integer. */
const COUNTED_KEY: ColumnInfo = {
  tsType: 'number',
  decorator: '@column({ isPrimary: true })',
  imports: IMPORTS,
}

/** A value that is kept as JSON. */
const json = (tsType: string): ColumnInfo => ({
  tsType,
  decorator:
    '@column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) })',
  imports: IMPORTS,
})

const LIST = json('string[]')

/** Texts by name. */
const TEXTS = json('Record<string, string>')

/** Texts and numbers by name. */
const DETAILS = json('Record<string, string | number>')

/** A JSON object that may be missing. */
const MAYBE_OBJECT: ColumnInfo = {
  tsType: 'Record<string, unknown>',
  decorator:
    '@column({ prepare: (value) => (value ? JSON.stringify(value) : null), consume: (value) => JSON.parse(value) })',
  imports: IMPORTS,
}

export default {
  tables: {
    users: { columns: { email_verified_at: MAYBE_INSTANT } },
    mcp_tasks: {
      columns: { created_at: INSTANT, expires_at: INSTANT },
    },
    sessions: {
      columns: { created_at: INSTANT, last_activity: INSTANT, expires_at: INSTANT },
    },
    security_events: {
      columns: { id: COUNTED_KEY, created_at: INSTANT, details: DETAILS },
    },
    oauth_access_tokens: {
      columns: {
        scopes: LIST,
        last_used_at: MAYBE_INSTANT,
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
    oauth_pending_authorizations: {
      columns: { parameters: TEXTS, created_at: INSTANT, expires_at: INSTANT },
    },
    oauth_device_authorizations: {
      columns: {
        scopes: LIST,
        polled_at: MAYBE_INSTANT,
        created_at: INSTANT,
        expires_at: INSTANT,
      },
    },
    oauth_grants: {
      columns: {
        scopes: LIST,
        context: MAYBE_OBJECT,
        created_at: INSTANT,
        last_used_at: MAYBE_INSTANT,
        expires_at: INSTANT,
        revoked_at: MAYBE_INSTANT,
      },
    },
    oauth_keys: { columns: { created_at: INSTANT, signs_at: INSTANT } },
    oauth_clients: {
      columns: {
        redirect_uris: LIST,
        grant_types: LIST,
        scopes: LIST,
        created_at: INSTANT,
        document_expires_at: MAYBE_INSTANT,
        purge_at: MAYBE_INSTANT,
        previous_secret_expires_at: MAYBE_INSTANT,
      },
    },
    personal_api_tokens: {
      columns: {
        id: COUNTED_KEY,
        abilities: LIST,
        created_at: INSTANT,
        last_used_at: MAYBE_INSTANT,
        expires_at: MAYBE_INSTANT,
      },
    },
    passkeys: {
      columns: {
        id: COUNTED_KEY,
        transports: LIST,
        created_at: INSTANT,
        last_used_at: MAYBE_INSTANT,
      },
    },
    passkey_used_challenges: { columns: { expires_at: INSTANT } },
    two_factor_secrets: { columns: { id: COUNTED_KEY, created_at: INSTANT } },
    two_factor_recovery_codes: { columns: { id: COUNTED_KEY, created_at: INSTANT } },
    password_reset_tokens: {
      columns: { id: COUNTED_KEY, created_at: INSTANT, expires_at: INSTANT },
    },
  },
} satisfies SchemaRules
