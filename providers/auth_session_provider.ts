import KitAuthSessionProvider from 'adonis-auth-kit/providers/auth_session_provider'

/** Cookie sessions: the `session` guard driver, CSRF protection, `config/session.ts`. Needs AuthProvider. */
export default class AuthSessionProvider extends KitAuthSessionProvider {}
