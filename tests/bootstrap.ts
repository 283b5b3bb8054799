import { existsSync } from 'node:fs'

import { apiClient } from '@japa/api-client'
import { assert } from '@japa/assert'
import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import { pluginAdonisJS } from '@japa/plugin-adonisjs'
import type { Config } from '@japa/runner/types'

import { authApiClient, mcpApiClient } from 'adonis-auth-kit/testing'

/** Upstream's tests of the starter, in a clone that has them. */
const starter = new URL('../packages/starter/bootstrap.ts', import.meta.url)
const upstream = existsSync(starter) ? await import(starter.href) : {}

export const plugins: Config['plugins'] = [
  assert(),
  apiClient(),
  pluginAdonisJS(app),
  mcpApiClient,
  authApiClient(app),
  ...(upstream.plugins ?? []),
]

export const suites = app.rcFile.tests.suites.map((suite) => ({
  ...suite,
  files: [suite.files, upstream.filesOf?.(suite.name) ?? []].flat() as string[],
}))

export const runnerHooks: Required<Pick<Config, 'setup' | 'teardown'>> = {
  setup: upstream.setup ?? [],
  teardown: [],
}

export const configureSuite: Config['configureSuite'] = (suite) => {
  upstream.configureSuite?.(suite)
  if (suite.name !== 'unit') {
    suite.setup(() => testUtils.httpServer().start())
  }
}
