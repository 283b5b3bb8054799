/**
 * Tables whose row classes are in the kit: an application leaves them out of its
 * own schema generation (`excludeTables` of Lucid's `schemaGeneration`).
 */
export const tables = [
  'mail_codes',
  'mcp_signals',
  'mcp_tasks',
  'oauth_access_tokens',
  'oauth_auth_codes',
  'oauth_client_sessions',
  'oauth_clients',
  'oauth_device_authorizations',
  'oauth_grants',
  'oauth_keys',
  'oauth_pending_authorizations',
  'oauth_pushed_requests',
  'oauth_refresh_tokens',
  'organisation_providers',
  'passkeys',
  'password_reset_tokens',
  'personal_api_tokens',
  'rate_limits',
  'security_events',
  'sessions',
  'social_identities',
  'two_factor_recovery_codes',
  'two_factor_secrets',
  'used_once',
  'workspace_invitations',
  'workspace_memberships',
  'workspaces',
]
