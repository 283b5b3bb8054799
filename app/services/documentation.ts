import { basename } from 'node:path'

import app from '@adonisjs/core/services/app'

/** Documents that the start page links to. Their labels are in `pages.start.documents`. */
const DOCUMENTS = [
  'docs/accounts.md',
  'docs/api-tokens.md',
  'docs/oauth.md',
  'docs/mcp.md',
  'docs/json-api.md',
  'docs/protecting-routes.md',
  'docs/features.md',
  'docs/settings.md',
  'docs/deploying.md',
]

/** Names of the documents that the application shows: none in production, because a build does not have them. */
export function documents(): string[] {
  return app.inProduction ? [] : DOCUMENTS.map((path) => basename(path, '.md'))
}
