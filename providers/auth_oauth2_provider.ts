import KitAuthOAuth2Provider from 'adonis-auth-kit/providers/auth_oauth2_provider'

/**
 * The OAuth 2.1 authorization server: the guard driver `oauth2`, `/oauth/*` and
 * `auth:oauth2:client`, by `config/oauth2.ts`. Needs AuthProvider before it, and
 * AuthSessionProvider for its pages.
 */
export default class AuthOAuth2Provider extends KitAuthOAuth2Provider {}
