import { mkdirSync } from 'node:fs'

import { Ignitor } from '@adonisjs/core'
import type { ApplicationService } from '@adonisjs/core/types'

import { APP_ROOT, IMPORTER, start } from '../../../bin/ignitor.js'

/**
 * Seconds that access tokens live. mcpc and mcporter refresh by the clock, a minute
 * before the end: two seconds after they got one.
 */
const LIFETIME = 62

/**
 * Serves the application in this process, with the blog's MCP server a second time at
 * `/mcp/closed`, where nobody is anonymous. Resolves to what stops it.
 */
export async function serve(): Promise<() => Promise<void>> {
  await import('#starter/helpers/scopes')
  let application: ApplicationService
  await start(new Ignitor(APP_ROOT, { importer: IMPORTER }), (ignitor) =>
    ignitor
      .tap((app) => {
        application = app
        /* A server writes the types of its routes: these are not the project's. */
        app.generatedServerPath = (...path) => app.makePath('tmp/matrix', ...path)
        mkdirSync(app.generatedServerPath(), { recursive: true })
        void app.booted(() => prepare(app))
      })
      .httpServer()
      .start()
  )
  return () => application.terminate()
}

async function prepare(app: ApplicationService) {
  const { AuthorizationServer } = await import('#kit/oauth2/authorization_server')
  const { DocumentFetcher } = await import('#kit/http/document_fetcher')
  const { testFetcher } = await import('#starter/helpers/document_fetcher')
  const { mountServer } = await import('adonis-auth-kit/mcp')
  app.container.singleton(DocumentFetcher, () => testFetcher())
  mountServer('/mcp/closed', () => import('#mcp/servers/blog_server')).protect({
    scopes: ['mcp:use'],
  })
  const { config } = await app.container.make(AuthorizationServer)
  Object.assign(config, { accessTokenTtl: LIFETIME })
}
