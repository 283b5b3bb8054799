import type { HttpContext } from '@adonisjs/core/http'

/** Value of a session with the form that waits until its sender has signed in. */
const KEY = 'kept_form'

/** Milliseconds: a person needs a while to sign in. */
const LIFETIME = 30 * 60 * 1000

interface KeptForm {
  path: string
  fields: Record<string, unknown>
  expiresAt: number
}

interface Values {
  get(key: string, defaultValue?: unknown): unknown
  put(key: string, value: any): void
  forget(key: string): void
}

/** Keeps what was typed into the form of a page until the page is shown again. */
export function keepForm(session: Values, path: string, fields: Record<string, unknown>): void {
  session.put(KEY, { path, fields, expiresAt: Date.now() + LIFETIME } satisfies KeptForm)
}

/** What was typed into the form of the page that is asked for; null when nothing waits for it. It is given once. */
export function takeForm(session: Values, { request }: HttpContext): KeptForm['fields'] | null {
  const kept = session.get(KEY, null) as KeptForm | null
  if (!kept || request.method() !== 'GET' || request.url() !== kept.path) {
    return null
  }
  session.forget(KEY)
  return kept.expiresAt > Date.now() ? kept.fields : null
}
