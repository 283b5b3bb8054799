import KitAuthApiTokenProvider from 'adonis-auth-kit/providers/auth_api_token_provider'

/**
 * Opaque API tokens: the guard driver `token` and SPA mode, by `config/api_token.ts`. Needs
 * AuthProvider before it, and AuthSessionProvider for SPA mode.
 */
export default class AuthApiTokenProvider extends KitAuthApiTokenProvider {}
