import type { InferScopes } from 'adonis-auth-kit/auth/scopes'

/** What tokens can be allowed, in words for the person who allows it. */
const scopes = {
  'account:read': 'See your profile, sessions, API tokens and connected apps',
  'mcp:use': 'Connect an AI client to this application',
  'posts:read': 'Read your posts',
  'posts:write': 'Write and change your posts',
}

export default scopes

/* The types of middleware.scopes, requireScopes and tools know the scopes that are named here. */
declare module 'adonis-auth-kit/auth/scopes' {
  interface Scopes extends InferScopes<{ scopes: typeof scopes }> {}
}
