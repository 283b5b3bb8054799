import oauth2Config from '#config/oauth2'
import scopes from '#config/scopes'

/** Scopes of the tests' own routes, tools and tokens: these need no feature of the application. */
export const TEST_SCOPES = {
  'mcp:use': 'Connect an AI client to this application',
  'posts:read': 'Read your posts',
  'posts:write': 'Write and change your posts',
}

const CATALOGUES = [scopes, oauth2Config.scopes]

CATALOGUES.forEach((catalogue) => Object.assign(catalogue, TEST_SCOPES))

declare module '#auth/scopes' {
  interface Scopes extends Record<keyof typeof TEST_SCOPES, string> {}
}
