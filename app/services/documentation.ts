import app from '@adonisjs/core/services/app'

/** Documents in docs/ that the start page links to. Their labels are in `pages.start.documents`. */
const DOCUMENTS = [
  'accounts',
  'api-tokens',
  'oauth',
  'mcp',
  'json-api',
  'protecting-routes',
  'features',
  'settings',
  'deploying',
]

/** The documents that the application shows: none in production, because a build does not have them. */
export function documents(): string[] {
  return app.inProduction ? [] : DOCUMENTS
}
