import KitAuthApiTokenProvider from 'adonis-auth-kit/providers/auth_api_token_provider'

/** Opaque API tokens: the `token` guard driver and SPA mode, `config/api_token.ts`. Needs AuthProvider. */
export default class AuthApiTokenProvider extends KitAuthApiTokenProvider {}
