import type { InferScopes } from '#auth/scopes'
import { defineConfig } from '#oauth2/define_config'
import env from '#start/env'

/** A comma-separated list; undefined when there is nothing in it, so that the default counts. */
function list(value = '') {
  const items = value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
  return items.length ? items : undefined
}

const oauth2Config = defineConfig({
  /** At least 32 random bytes, the same on every machine. For an asymmetric algorithm a private key in PEM. */
  key: env.get('OAUTH_KEY'),
  algorithm: env.get('OAUTH_ALGORITHM'),

  /** The public address of this server, as clients know it. */
  issuer: env.get('OAUTH_ISSUER'),

  /** APIs that a token can be bound to, by their addresses (RFC 8707). */
  resources: list(env.get('OAUTH_RESOURCES')),

  /** What clients can ask for, in words for the person who approves. */
  scopes: {
    'mcp:use': 'Connect an AI client to this application',
    'posts:read': 'Read your posts',
    'posts:write': 'Write and change your posts',
  },
  defaultScopes: [],

  grantTypes: list(env.get('OAUTH_GRANT_TYPES')),

  tokens: { store: env.get('OAUTH_TOKENS_STORE', 'database') },
  clients: { store: env.get('OAUTH_CLIENTS_STORE', 'database') },
})

export default oauth2Config

/* The types of middleware.scopes, requireScopes and tools know the scopes that are named here. */
declare module '#auth/scopes' {
  interface Scopes extends InferScopes<typeof oauth2Config> {}
}
