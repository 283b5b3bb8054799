import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'

const KEY = 'shown_once'

/** The page that shows it is the next one. */
const LIFETIME = '5 minutes'

/**
 * Hands a secret to the next page, which shows it once: a page that is the answer of the form
 * would make another secret when it is reloaded. In the session it is encrypted.
 */
export function showOnce({ session }: HttpContext, purpose: string, secret: string): void {
  session.flash(KEY, encryption.encrypt(secret, LIFETIME, purpose))
}

/** The secret that this page has to show; null when there is none. */
export function shownOnce({ session }: HttpContext, purpose: string): string | null {
  const sealed = session.flashMessages.get(KEY)
  return typeof sealed === 'string' ? encryption.decrypt<string>(sealed, purpose) : null
}
