import KitAuthTwoFactorProvider from 'adonis-auth-kit/providers/auth_two_factor_provider'

/**
 * The second factor after the password, by `config/two_factor.ts`. Needs AuthProvider before it,
 * and AuthSessionProvider for its pages.
 */
export default class AuthTwoFactorProvider extends KitAuthTwoFactorProvider {}
