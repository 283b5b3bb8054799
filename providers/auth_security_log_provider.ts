import KitAuthSecurityLogProvider from 'adonis-auth-kit/providers/auth_security_log_provider'

/** The security log that people see of their own account: `config/security_log.ts`. Needs AuthProvider. */
export default class AuthSecurityLogProvider extends KitAuthSecurityLogProvider {}
