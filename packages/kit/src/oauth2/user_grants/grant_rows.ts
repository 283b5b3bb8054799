import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { GrantRecord } from '#oauth2/user_grants/grant_store'

/** A row of `oauth_grants` as a record. PostgreSQL hands a bigint over as text. */
export function toGrant(row: any): GrantRecord {
  const instant = (value: unknown) => (value === null ? null : Number(value))
  return {
    id: row.id,
    userId: row.user_id,
    provider: row.provider,
    clientId: row.client_id,
    resource: row.resource,
    scopes: JSON.parse(row.scopes),
    context: row.context === null ? null : JSON.parse(row.context),
    redirectHost: row.redirect_host,
    createdAt: Number(row.created_at),
    lastUsedAt: instant(row.last_used_at),
    expiresAt: Number(row.expires_at),
    revokedAt: instant(row.revoked_at),
  }
}

/**
 * A condition for statements that write under a grant: it holds while the grant
 * is not revoked, and on PostgreSQL makes its revocation wait. Takes the id.
 */
export function grantLives(client: QueryClientContract, more = ''): string {
  const lock = client.dialect.name === 'postgres' ? 'FOR SHARE' : ''
  return `EXISTS (SELECT 1 FROM oauth_grants WHERE id = ? AND revoked_at IS NULL ${more} ${lock})`
}
