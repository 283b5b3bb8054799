import type User from '#models/user'
import { credentialsOf } from '#kit/testing/api_client'
import { serverUrl } from '#starter/helpers/server_url'

/**
 * A caller that keeps its cookies as a browser does, over real HTTP. It sends
 * what it is told and nothing else: the CSRF token only when asked to.
 */
export class Visitor {
  readonly cookies = new Map<string, string>()
  readonly #headers = new Headers()

  /* feature: session */
  /** Names of the cookies, without the one by which logins know a device. */
  get sessionCookies(): string[] {
    return [...this.cookies.keys()].filter((name) => name !== 'known_device')
  }

  get csrfToken(): string {
    return this.cookies.get('XSRF-TOKEN') ?? ''
  }
  /* /feature */

  async request(
    method: string,
    path: string,
    options: {
      json?: unknown
      form?: Record<string, string>
      body?: string | FormData | Uint8Array<ArrayBuffer>
      headers?: Record<string, string>
      /* feature: session */
      csrf?: boolean
      /* /feature */
    } = {}
  ): Promise<Response & { setCookies: string[] }> {
    const headers = new Headers([...this.#headers, ...new Headers(options.headers)])
    if (this.cookies.size) {
      headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    /* feature: session */
    if (options.csrf) {
      headers.set('x-xsrf-token', this.csrfToken)
    }
    /* /feature */
    if (options.json !== undefined) {
      headers.set('content-type', 'application/json')
    }

    const url = path.startsWith('http') ? path : await serverUrl(path)
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      body:
        options.json !== undefined
          ? JSON.stringify(options.json)
          : options.form
            ? new URLSearchParams(options.form)
            : options.body,
    })
    this.#keep(response.headers.getSetCookie())
    return Object.assign(response, { setCookies: response.headers.getSetCookie() })
  }

  get(path: string, options?: Parameters<Visitor['request']>[2]) {
    return this.request('GET', path, options)
  }

  post(path: string, options?: Parameters<Visitor['request']>[2]) {
    return this.request('POST', path, options)
  }

  /** A caller that sends what the user is recognised by; for tests that are not about the way. */
  static async as(user: User): Promise<Visitor> {
    const visitor = new Visitor()
    const { cookies, headers } = await credentialsOf(user)
    Object.entries(cookies ?? {}).forEach(([name, value]) => visitor.cookies.set(name, value))
    Object.entries(headers ?? {}).forEach(([name, value]) => visitor.#headers.set(name, value))
    return visitor
  }

  /* feature: session */
  /** Posts JSON with the CSRF token, as a page of an application does. */
  send(path: string, json: unknown = {}) {
    return this.post(path, { json, csrf: true })
  }

  /** Signs in as a program does. */
  async login(email: string, password: string) {
    return this.post('/login', { json: { email, password }, csrf: this.cookies.size > 0 })
  }
  /* /feature */

  #keep(setCookies: string[]) {
    for (const cookie of setCookies) {
      const [pair] = cookie.split(';')
      const [name, value] = [
        pair!.slice(0, pair!.indexOf('=')),
        pair!.slice(pair!.indexOf('=') + 1),
      ]
      if (/max-age=0\b/i.test(cookie)) {
        this.cookies.delete(name)
      } else {
        this.cookies.set(name, value)
      }
    }
  }
}

/* feature: session */
/** A user, or a new one with such attributes, and a browser in which it is signed in. */
export async function signedIn(who: User | Partial<User> = {}) {
  /* Not above: rehearsals have visitors, and no application that models belong to. */
  const { FACTORY_PASSWORD, UserFactory } = await import('#database/factories/user_factory')
  const { default: Person } = await import('#models/user')
  const user = who instanceof Person ? who : await UserFactory.merge(who).create()
  const visitor = new Visitor()
  await visitor.login(user.email, FACTORY_PASSWORD)
  return { user, visitor }
}
/* /feature */

export async function isSignedIn(visitor: Visitor): Promise<boolean> {
  return (await visitor.get('/api/me')).status === 200
}
