import { type TestClient, authorizationFields, encodeForm } from '#starter/helpers/oauth'
import type { Visitor } from '#starter/helpers/visitor'

export const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

/** The address that a client sends a browser to. */
export function authorizationPath(client: TestClient, more: Record<string, unknown> = {}): string {
  return `/oauth/authorize?${encodeForm(authorizationFields(client, more) as any)}`
}

/** Opens an authorization request in a browser. */
export function open(visitor: Visitor, client: TestClient, more: Record<string, unknown> = {}) {
  return visitor.get(authorizationPath(client, more), { headers: HTML })
}

/** What the form of a consent page would send: hidden fields, and the scopes that are ticked. */
export function consentForm(html: string) {
  const action = /<form method="post" action="(\/oauth\/authorizations\/\w+)\/approve"/.exec(html)
  if (!action) {
    throw new Error('There is no consent form on the page')
  }
  const hidden = html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)
  const scopes = html.matchAll(/<input type="checkbox" name="scopes\[\]" value="([^"]+)" checked/g)
  return {
    address: action[1]!,
    handle: action[1]!.split('/').at(-1)!,
    hidden: Object.fromEntries([...hidden].map(([, name, value]) => [name!, value!])),
    scopes: [...scopes].map(([, scope]) => scope!),
  }
}

export type Decision = 'approve' | 'deny' | 'switch'

/** Presses a button of a consent page; scopes other than the ticked ones can be named. */
export async function decide(
  visitor: Visitor,
  html: string,
  decision: Decision,
  scopes?: string[]
) {
  const form = consentForm(html)
  const body = new URLSearchParams(form.hidden)
  for (const scope of scopes ?? form.scopes) {
    body.append('scopes[]', scope)
  }
  return visitor.post(`${form.address}/${decision}`, {
    body: body.toString(),
    headers: { ...HTML, 'content-type': 'application/x-www-form-urlencoded' },
  })
}

/** Opens an authorization request and allows it, and returns where the browser goes. */
export function allow(
  visitor: Visitor,
  client: TestClient,
  more: Record<string, unknown> = {},
  scopes?: string[]
): Promise<URL> {
  return allowAt(visitor, authorizationPath(client, more), scopes)
}

/** The same at the address that a client sends the browser to. */
export async function allowAt(visitor: Visitor, address: string, scopes?: string[]): Promise<URL> {
  const page = await visitor.get(address, { headers: HTML })
  const answer = await decide(visitor, await page.text(), 'approve', scopes)
  return new URL(answer.headers.get('location')!)
}

/** Keeps a request waiting, and returns its handle. */
export async function openPending(
  visitor: Visitor,
  client: TestClient,
  more: Record<string, unknown> = {}
): Promise<string> {
  const page = await open(visitor, client, more)
  return consentForm(await page.text()).handle
}
