import { apiClient } from '@japa/api-client'
import { assert } from '@japa/assert'
import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { pluginAdonisJS } from '@japa/plugin-adonisjs'
import type { Config } from '@japa/runner/types'

import { openIdRoutes } from '#oauth2/openid/routes'
import { closeBrowser, hasBrowser } from '#tests/helpers/chromium'
import ConformanceServer from '#tests/helpers/fixtures/mcp/conformance_server'
import { liftLimits } from '#tests/helpers/limits'
import { mcpApiClient } from '#tests/helpers/plugins/mcp_api_client'
import { authApiClient } from '#tests/helpers/plugins/auth_api_client'

/* What the MCP conformance tool asks a server for. */
ConformanceServer.router('/mcp/conformance')

/* Off in the application, on in some of its tests. */
openIdRoutes(router, { issuer: null })

export const plugins: Config['plugins'] = [
  assert(),
  apiClient(),
  pluginAdonisJS(app),
  mcpApiClient,
  authApiClient(app),
]

export const runnerHooks: Required<Pick<Config, 'setup' | 'teardown'>> = {
  setup: [liftLimits],
  teardown: [],
}

export const configureSuite: Config['configureSuite'] = (suite) => {
  if (suite.name === 'browser') {
    if (!hasBrowser) {
      process.stdout.write('The browser suite is skipped: no Chromium is installed.\n')
    }
    suite.onGroup((group) => group.each.skip(!hasBrowser, 'No Chromium is installed'))
    suite.teardown(closeBrowser)
  }
  if (suite.name !== 'unit') {
    suite.setup(() => testUtils.httpServer().start())
  }
}
