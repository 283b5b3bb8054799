import KitAuthProvider from 'adonis-auth-kit/providers/auth_provider'

/**
 * Authentication: the guards and user providers of `config/auth.ts`, `ctx.auth`, and password
 * resets where `passwords` is set there. Comes first: the providers of the features add to the
 * manager that it binds.
 */
export default class AuthProvider extends KitAuthProvider {}
