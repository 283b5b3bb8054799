import { DEVICE_CODE } from '#kit/oauth2/settings'
import { ALL_GRANTS } from '#starter/helpers/oauth'
import { startServer } from '#starter/helpers/server_process'

export const ISSUER = 'https://as.example.com'

const PROCESSES = 4

/* OAuth with all that it has. */
const ENV = {
  OAUTH_GRANT_TYPES: [...ALL_GRANTS, DEVICE_CODE].join(),
  OAUTH_ISSUER: ISSUER,
  OAUTH_CLIENT_ASSERTIONS: 'true',
  OAUTH_DPOP: 'true',
  OAUTH_PAR: 'true',
}

const atEnd: (() => Promise<unknown>)[] = []
let started: Promise<string[]> | undefined

/** Four processes of this application on the test database. The specs of a suite share them: they end with it. */
export function cluster(): Promise<string[]> {
  started ??= Promise.all(
    Array.from({ length: PROCESSES }, () =>
      startServer(ENV, { cleanup: (callback) => atEnd.push(callback) })
    )
  )
  return started
}

export async function endCluster() {
  await Promise.all(atEnd.map((callback) => callback()))
}
