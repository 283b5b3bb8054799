import type { OAuth2Config } from '#kit/oauth2/define_config'
import type { PushedRequestsConfig } from '#kit/oauth2/settings'
import { HTML } from '#starter/helpers/consent'
import {
  type Fields,
  type TestClient,
  authorizationFields,
  credentials,
  post,
  useConfig,
} from '#starter/helpers/oauth'
import type { Visitor } from '#starter/helpers/visitor'

/** Lets clients push requests until the test ends. */
export function usePushedRequests(config: PushedRequestsConfig = {}, more: OAuth2Config = {}) {
  return useConfig({ pushedRequests: { enabled: true, ...config }, ...more })
}

/** A client pushes an authorization request. */
export function push(client: TestClient, more: Fields = {}, headers = {}) {
  const fields = { ...authorizationFields(client), ...credentials(client), ...more } as Fields
  return post('/oauth/par', fields, headers)
}

/** The reference to a request that was pushed. */
export async function pushed(client: TestClient, more: Fields = {}): Promise<string> {
  const { status, body } = await push(client, more)
  if (status !== 201) {
    throw new Error(`The request was refused: ${JSON.stringify(body)}`)
  }
  return body.request_uri
}

/** The address that a client sends a browser to. */
export function referringPath({ id }: TestClient, requestUri: string, more = ''): string {
  return `/oauth/authorize?client_id=${id}&request_uri=${encodeURIComponent(requestUri)}${more}`
}

/** Opens a pushed request in a browser. */
export function openPushed(visitor: Visitor, client: TestClient, requestUri: string, more = '') {
  return visitor.get(referringPath(client, requestUri, more), { headers: HTML })
}
