import assert from 'node:assert/strict'

import { Visitor } from '#starter/helpers/visitor'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** A person with a browser, who has an account in the application. */
export class Person {
  readonly browser = new Visitor()

  constructor(readonly app: string) {}

  /** Opens a page, and follows redirects inside the application. */
  async open(address: string | URL): Promise<{ address: string; html: string }> {
    const response = await this.browser.get(String(address), { headers: HTML })
    const location = response.headers.get('location')
    if (location === null) {
      return { address: String(address), html: await response.text() }
    }
    const next = new URL(location, this.app)
    return next.origin === this.app ? this.open(next) : { address: next.href, html: '' }
  }

  /** Fills in the sign-in form of a page. @returns the page that follows */
  async signIn(html: string) {
    const form = { _csrf: csrfField(html), email: 'ann@example.com', password: 'a secret of mine' }
    const response = await this.browser.post(`${this.app}/login`, { form, headers: HTML })
    return this.open(new URL(response.headers.get('location')!, this.app))
  }

  /** Sends the form of a consent page. @returns where the browser is sent */
  async decide(html: string, decision: 'approve' | 'deny', csrf = csrfField(html)): Promise<URL> {
    const [, address] = /action="(\/oauth\/authorizations\/\w+)\/approve"/.exec(html) ?? []
    assert.ok(address, `There is no consent form on the page: ${html}`)
    const body = new URLSearchParams({ _csrf: csrf })
    for (const [, scope] of html.matchAll(/name="scopes\[\]" value="([^"]+)" checked/g)) {
      body.append('scopes[]', scope!)
    }
    const response = await this.browser.post(`${this.app}${address}/${decision}`, {
      body: String(body),
      headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
    })
    return new URL(response.headers.get('location') ?? '/', this.app)
  }
}

/** The CSRF token that Shield has put into a form. */
export function csrfField(html: string): string {
  const found = /name=['"]_csrf['"] value=['"]([^'"]+)['"]/.exec(html)
  assert.ok(found, `There is no CSRF field on the page: ${html}`)
  return found[1]!
}
