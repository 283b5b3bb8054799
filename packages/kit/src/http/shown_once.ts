import encryption from '@adonisjs/core/services/encryption'
import type { HttpContext } from '@adonisjs/core/http'

const KEY = 'shown_once'

/** The page that shows it is the next one. */
const LIFETIME = '5 minutes'

/** Hands a secret to the next page, encrypted: a page that answers the form would make another one when it is reloaded. */
export function showOnce({ session }: HttpContext, purpose: string, secret: string): void {
  session.flash(KEY, encryption.encrypt(secret, LIFETIME, purpose))
}

export function shownOnce({ session }: HttpContext, purpose: string): string | null {
  const sealed = session.flashMessages.get(KEY)
  return typeof sealed === 'string' ? encryption.decrypt<string>(sealed, purpose) : null
}
