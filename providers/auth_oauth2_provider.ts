import KitAuthOAuth2Provider from 'adonis-auth-kit/providers/auth_oauth2_provider'

/**
 * The OAuth 2.1 authorization server: the `oauth2` guard driver and the `/oauth/*` endpoints,
 * `config/oauth2.ts`. Needs AuthProvider; its pages need AuthSessionProvider.
 */
export default class AuthOAuth2Provider extends KitAuthOAuth2Provider {}
