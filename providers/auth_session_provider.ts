import KitAuthSessionProvider from 'adonis-auth-kit/providers/auth_session_provider'

/**
 * Cookie sessions: the guard driver `session` and CSRF protection, by `config/session.ts`. Needs
 * AuthProvider before it.
 */
export default class AuthSessionProvider extends KitAuthSessionProvider {}
