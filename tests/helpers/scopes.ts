import oauth2Config from '#config/oauth2'

/** Scopes of the tests' own routes, tools and tokens: these need no feature of the application. */
export const TEST_SCOPES = {
  'account:read': 'See your profile, sessions, API tokens and connected apps',
  'mcp:use': 'Connect an AI client to this application',
  'posts:read': 'Read your posts',
  'posts:write': 'Write and change your posts',
}

for (const catalogue of [oauth2Config.scopes, oauth2Config.given.scopes!]) {
  Object.assign(catalogue, TEST_SCOPES)
}

declare module '#auth/scopes' {
  interface Scopes extends Record<keyof typeof TEST_SCOPES, string> {}
}
