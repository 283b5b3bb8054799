import createClient from 'openapi-fetch'

import type { paths } from '../tmp/api'

/** Where the application runs. */
export const server: string = import.meta.env.VITE_API ?? 'http://localhost:3333'

export type User = paths['/api/me']['get']['responses'][200]['content']['application/json']['user']
export type Answer = paths['/login']['post']['responses'][200]['content']['application/json']

export const api = createClient<paths>({ baseUrl: server, credentials: 'include' })

const csrfToken = () => /XSRF-TOKEN=([^;]+)/.exec(document.cookie)?.[1]

api.use({
  /* Whatever changes something repeats the token of the cookie, which is another one after a login. */
  async onRequest({ request }) {
    if (request.method === 'GET') return
    if (!csrfToken()) await fetch(`${server}/__auth__/csrf-cookie`, { credentials: 'include' })
    request.headers.set('X-XSRF-TOKEN', csrfToken() ?? '')
  },
  onResponse({ response }) {
    if (response.status === 401) dispatchEvent(new Event('signed-out'))
  },
})

/** Why something did not work, with what is wrong with each field of a form. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly fields: Record<string, string> = {}
  ) {
    super(message)
  }
}

/** Errors of the application: a refusal, a message, or lists of a validation and of JSON:API. */
interface Problem {
  error_description?: string
  message?: string
  errors?: { field?: string; message?: string; detail?: string; source?: { pointer?: string } }[]
}

function failureOf(problem: Problem, { headers }: Response): Failure {
  const fields: Record<string, string> = {}
  for (const { field, message, detail, source } of problem.errors ?? []) {
    fields[field ?? source?.pointer?.split('/').pop() ?? ''] = message ?? detail ?? ''
  }
  const wait = headers.get('Retry-After')
  const message =
    problem.error_description ?? problem.message ?? fields[''] ?? 'Please look at what is marked.'
  return new Failure(wait ? `${message} (${wait} seconds)` : message, fields)
}

/** What the application answers. @throws {Failure} */
export async function answerOf<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>
): Promise<T> {
  const { data, error, response } = await call.catch(() => {
    throw new Failure(`${server} does not answer.`)
  })
  if (error !== undefined) throw failureOf(error as Problem, response)
  return data as T
}

/** Asks the person for a passkey. @throws {Failure} */
export async function passkeyFor(options: object) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON
  )
  const credential = await navigator.credentials.get({ publicKey }).catch(() => {
    throw new Failure('No passkey was used. You can try again.')
  })
  return (credential as PublicKeyCredential).toJSON() as { id: string }
}
