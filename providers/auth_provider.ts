import KitAuthProvider from 'adonis-auth-kit/providers/auth_provider'

/**
 * Authentication: guards and user providers of `config/auth.ts`, `ctx.auth` and the `auth` middleware, and
 * password resets where `config/auth.ts` has `passwords`. Stands before the feature providers, which add
 * to the manager that it binds.
 */
export default class AuthProvider extends KitAuthProvider {}
