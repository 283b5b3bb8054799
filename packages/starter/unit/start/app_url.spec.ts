import { readFile } from 'node:fs/promises'

import { EnvParser } from '@adonisjs/core/env'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { judgePort, portElsewhere } from '#kit/doctor/settings'

test.group('APP_URL', () => {
  test('follows PORT in the .env that a fresh clone gets', async ({ assert }) => {
    const example = await readFile(app.makePath('.env.example'), 'utf8')
    const changed = example.replace('PORT=3333', 'PORT=4444')
    const { APP_URL } = await new EnvParser(changed, app.appRoot, {
      ignoreProcessEnv: true,
    }).parse()
    assert.equal(APP_URL, 'http://localhost:4444')
  })

  test('of this computer with another port than the one listened on is told: {0} at {1}')
    .with([
      ['http://localhost:3333', 3333, null],
      ['http://localhost:3333', 4444, '3333'],
      ['http://127.0.0.1', 3333, '80'],
      ['https://[::1]', 443, null],
      ['https://tunnel.example.com', 3333, null],
    ] as const)
    .run(({ assert }, [appUrl, port, elsewhere]) => {
      assert.equal(portElsewhere(appUrl, port), elsewhere)
      assert.lengthOf(judgePort(appUrl, port), elsewhere === null ? 0 : 1)
    })
})
