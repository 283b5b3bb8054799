import type { HttpContext } from '@adonisjs/core/http'

declare module '@adonisjs/core/types' {
  interface EventsList {
    /** A recovery code was used. */
    'two_factor:recovery_code_used': TwoFactorEvent & { left: number }
    /** A code was wrong, though the password was right or a session was there. */
    'two_factor:failed': TwoFactorEvent
  }
}

export interface TwoFactorEvent {
  ctx: HttpContext
  user: any
}
