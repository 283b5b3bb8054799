import KitAuthPasskeysProvider from 'adonis-auth-kit/providers/auth_passkeys_provider'

/**
 * Passkeys to sign in and to confirm with, by `config/passkeys.ts`. Needs AuthProvider before it,
 * and AuthSessionProvider for its pages.
 */
export default class AuthPasskeysProvider extends KitAuthPasskeysProvider {}
