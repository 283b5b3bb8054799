import catalogue from '#config/scopes'

/*
| Scopes of the tests' own routes, tools and tokens: these need no feature of the
| application. Whatever starts the application for tests imports this file first.
*/

export const TEST_SCOPES = {
  'account:read': 'See your profile, sessions, API tokens and connected apps',
  'mcp:use': 'Connect an AI client to this application',
  'posts:read': 'Read your posts',
  'posts:write': 'Write and change your posts',
}

Object.assign(catalogue, TEST_SCOPES)

declare module '#kit/auth/scopes' {
  interface Scopes extends Record<keyof typeof TEST_SCOPES, string> {}
}
