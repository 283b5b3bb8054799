import { errors } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import type { MailCodes } from '#mail_code/mail_codes'
import type { Users } from '#auth/users'

/** @throws {E_ROUTE_NOT_FOUND} unless `signIn` is set, or `isNeeded` says that the feature is needed without it */
export async function mailCodesOf(
  { request }: HttpContext,
  isNeeded = false
): Promise<{ codes: MailCodes; users: Users }> {
  const manager = await app.container.make('auth_manager')
  const codes = manager.feature('mailCodes')!
  if (!codes.isOffered && !isNeeded) {
    throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
  }
  return { codes, users: manager.usersOf() }
}

/** The code in the link of a mail, for the field of the form. */
export function linkedCode({ request, response }: HttpContext): string {
  response.header('Cache-Control', 'no-store').header('Referrer-Policy', 'same-origin')
  const { code } = request.qs()
  return /^\d{6}$/.test(code) ? code : ''
}
