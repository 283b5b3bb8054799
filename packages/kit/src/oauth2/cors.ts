import { cors } from '#http/cors'

/* Clients in browsers run on any origin. Nothing here looks at cookies, and none are allowed along. */

/** The endpoints that clients call themselves. Their challenges can be read. */
export const ENDPOINT_CORS = cors({
  origins: '*',
  methods: ['POST'],
  headers: ['*'],
  exposed: ['WWW-Authenticate', 'Retry-After'],
})

/** The metadata document, and the public keys. */
export const METADATA_CORS = cors({ origins: '*', methods: ['GET'], headers: ['*'] })
