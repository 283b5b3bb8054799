import KitAuthPasskeysProvider from 'adonis-auth-kit/providers/auth_passkeys_provider'

/** Passkeys to sign in and to confirm with, `config/passkeys.ts`. Needs AuthSessionProvider. */
export default class AuthPasskeysProvider extends KitAuthPasskeysProvider {}
