import KitAuthTwoFactorProvider from 'adonis-auth-kit/providers/auth_two_factor_provider'

/** Two-factor authentication after the password, `config/two_factor.ts`. Needs AuthSessionProvider. */
export default class AuthTwoFactorProvider extends KitAuthTwoFactorProvider {}
