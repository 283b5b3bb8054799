import KitAuthSecurityLogProvider from 'adonis-auth-kit/providers/auth_security_log_provider'

/**
 * What has happened to the security of an account, for its owner, by `config/security_log.ts`.
 * Needs AuthProvider before it.
 */
export default class AuthSecurityLogProvider extends KitAuthSecurityLogProvider {}
