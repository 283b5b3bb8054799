import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ESLint } from 'eslint'

async function complaints(filePath: string, imported: string) {
  const eslint = new ESLint({ cwd: app.makePath() })
  const [result] = await eslint.lintText(`import ${JSON.stringify(imported)}\n`, {
    filePath: app.makePath(filePath),
  })
  return result.messages.filter(({ ruleId }) => ruleId === 'no-restricted-imports').length
}

test.group('Walls', () => {
  test('{file} may not import {imported}')
    .with([
      { file: 'app/auth/manager.ts', imported: '#session/guard' },
      { file: 'app/auth/user_providers/lucid.ts', imported: '#oauth2/guard' },
      { file: 'app/auth/manager.ts', imported: '#controllers/session_controller' },
      { file: 'app/session/guard.ts', imported: '#api_token/guard' },
      { file: 'app/session/stores/database.ts', imported: '#oauth2/tokens/store' },
      { file: 'app/oauth2/guard.ts', imported: '#session/request_session' },
      { file: 'app/api_token/guard.ts', imported: '#middleware/auth_middleware' },
      { file: 'app/auth/password_reset/broker.ts', imported: '#models/password_reset_token' },
      { file: 'app/auth/password_reset/stores/database.ts', imported: '#session/session_service' },
      { file: 'app/throttle/limiter_throttle.ts', imported: '#session/guard' },
      { file: 'app/oauth2/guard.ts', imported: '#throttle/limiter_throttle' },
      { file: 'app/mcp/server.ts', imported: '#json_api/json_resource' },
      { file: 'app/session/guard.ts', imported: '../oauth2/guard.js' },
      { file: 'app/models/session.ts', imported: '#session/session_service' },
    ])
    .run(async ({ assert }, { file, imported }) => {
      assert.equal(await complaints(file, imported), 1)
    })

  test('{file} may import {imported}')
    .with([
      { file: 'app/session/guard.ts', imported: '#auth/errors' },
      { file: 'app/session/stores/database.ts', imported: '#models/session' },
      {
        file: 'app/auth/password_reset/stores/database.ts',
        imported: '#models/password_reset_token',
      },
      { file: 'app/controllers/session_controller.ts', imported: '#session/facade' },
      { file: 'providers/auth_session_provider.ts', imported: '#session/guard' },
    ])
    .run(async ({ assert }, { file, imported }) => {
      assert.equal(await complaints(file, imported), 0)
    })
})
