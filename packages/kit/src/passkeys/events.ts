import type { HttpContext } from '@adonisjs/core/http'

declare module '@adonisjs/core/types' {
  interface EventsList {
    /** A passkey was used to sign in or to confirm. */
    'passkeys:used': PasskeyEvent
    /** An answer with a known passkey was refused, e.g. because its counter went back: it may have been copied. */
    'passkeys:refused': Omit<PasskeyEvent, 'user'> & { reason: string }
  }
}

export interface PasskeyEvent {
  ctx: HttpContext
  user: any
  /** The passkey, without its key. */
  passkey: { id: string; name: string }
}
