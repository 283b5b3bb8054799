/*
| The requests that are measured. `expect` is in every right answer. `list` takes
| requests that work once, `chain` makes each request of the answer before.
*/

export const WORKLOADS = {
  W1: { title: '`client_credentials`', expect: '"access_token"' },
  W2r: { title: 'refresh rotation', expect: '"refresh_token"', mode: 'chain' },
  W2c: { title: 'code with PKCE', expect: '"refresh_token"', mode: 'list' },
  W3: { title: 'introspection', expect: '"active":true' },
  W4: { title: 'route, bearer token', expect: '"email"' },
  W5: { title: 'route, opaque token', expect: '"email"' },
  W6: { title: 'route, session', expect: '"email"' },
  M1: { title: 'MCP `tools/call`', expect: '"words"' },
  M2: { title: 'MCP `tools/list`', expect: '"tools"' },
  J1: { title: '20 of 1,000 posts', expect: '"posts"' },
  J2: { title: 'the same, authors included', expect: '"included"' },
  P1: { title: 'page', expect: '<form' },
}
