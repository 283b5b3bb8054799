import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { RowCodec } from '#database/row_codec'
import type { GrantRecord } from '#oauth2/user_grants/grant_store'

export const grantRows = new RowCodec<GrantRecord>({
  id: 'text',
  userId: 'text',
  provider: 'text',
  clientId: 'text',
  resource: 'text',
  scopes: 'json',
  context: 'json',
  redirectHost: 'text',
  createdAt: 'number',
  lastUsedAt: 'number',
  expiresAt: 'number',
  revokedAt: 'number',
})

/**
 * A condition for statements that write under a grant: it holds while the grant
 * is not revoked, and on PostgreSQL makes its revocation wait. Takes the id.
 */
export function grantLives(client: QueryClientContract, more = ''): string {
  const lock = client.dialect.name === 'postgres' ? 'FOR SHARE' : ''
  return `EXISTS (SELECT 1 FROM oauth_grants WHERE id = ? AND revoked_at IS NULL ${more} ${lock})`
}
