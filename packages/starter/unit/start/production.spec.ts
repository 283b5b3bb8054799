import { test } from '@japa/runner'

import { type ProductionSettings, productionWarnings } from '#kit/doctor/settings'

const SAFE: ProductionSettings = {
  appUrl: 'https://app.example.com',
  mailer: 'smtp',
  limiterStore: 'database',
  sqliteFile: '/var/lib/app/db.sqlite3',
}

test.group('Warnings of a production start', () => {
  test('there are none when everything is right')
    .with([SAFE, { ...SAFE, limiterStore: 'redis' }, { ...SAFE, sqliteFile: null }])
    .run(({ assert }, settings) => assert.deepEqual(productionWarnings(settings), []))

  test('{variable}: one line that names the variable and what to set')
    .with([
      {
        variable: 'APP_URL',
        unsafe: { appUrl: 'http://app.example.com' },
        remedy: /https address/,
      },
      {
        variable: 'APP_URL',
        unsafe: { appUrl: 'https://example.com/app' },
        remedy: /a host of its own/,
      },
      { variable: 'MAIL_MAILER', unsafe: { mailer: 'log' }, remedy: /Set MAIL_MAILER=smtp/ },
      {
        variable: 'LIMITER_STORE',
        unsafe: { limiterStore: 'memory' },
        remedy: /Set LIMITER_STORE=database or redis/,
      },
      {
        variable: 'session.store',
        unsafe: { inMemory: ['session'] },
        remedy: /Set it to "database" in config\/session\.ts/,
      },
      {
        variable: 'mcp.tasks.store',
        unsafe: { inMemory: ['mcp.tasks'] },
        remedy: /Set it to "database" in config\/mcp\.ts/,
      },
      /* feature: oauth2 */
      { variable: 'OAUTH_ISSUER', unsafe: { issuer: null }, remedy: /public https address/ },
      /* /feature */
      {
        variable: 'SQLITE_FILE',
        unsafe: { sqliteFile: 'tmp/db.sqlite3' },
        remedy: /absolute path/,
      },
    ])
    .run(({ assert }, { variable, unsafe, remedy }) => {
      const warnings = productionWarnings({ ...SAFE, ...unsafe } as ProductionSettings)
      assert.lengthOf(warnings, 1)
      assert.isTrue(warnings[0]!.startsWith(`${variable} is `))
      assert.match(warnings[0]!, remedy)
      assert.notInclude(warnings[0]!, '\n')
    })
})
