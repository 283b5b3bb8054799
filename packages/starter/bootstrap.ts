import router from '@adonisjs/core/services/router'
import type { Config } from '@japa/runner/types'
import edge from 'edge.js'

import { openIdRoutes } from '#kit/oauth2/routes'
import { closeBrowser, hasBrowser } from '#starter/helpers/chromium'
import { endCluster } from '#starter/helpers/cluster'
import ConformanceServer from '#starter/helpers/fixtures/mcp/conformance_server'
import { liftLimits } from '#starter/helpers/limits'
import { openApiJudge } from '#starter/helpers/openapi_judge'

/* What the MCP conformance tool asks a server for. */
ConformanceServer.router('/mcp/conformance')

/* Off in the application, on in some of its tests. */
openIdRoutes(router, { issuer: null })

/** The specs of a suite that are upstream's. */
export const filesOf = (suite: string) => `packages/starter/${suite}/**/*.spec.ts`

/** Every answer is held against /openapi.json. */
export const plugins = [openApiJudge]

/** Templates are compiled once, as in production: no test changes one of them. */
function keepTemplates() {
  for (const { cacheManager } of [edge.compiler, edge.asyncCompiler]) {
    cacheManager.enabled = true
  }
  const listed = edge.loader.listComponents()
  edge.loader.listComponents = () => listed
}

export const setup = [liftLimits, keepTemplates]

export const configureSuite: Config['configureSuite'] = (suite) => {
  if (suite.name === 'browser') {
    if (!hasBrowser) {
      process.stdout.write(
        'The browser suite is skipped, because no Chromium is installed: run "npx playwright install chromium", or name yours with CHROMIUM_PATH.\n'
      )
    }
    suite.onGroup((group) => group.each.skip(!hasBrowser, 'No Chromium is installed'))
  }
  suite.teardown(closeBrowser)
  suite.teardown(endCluster)
}
