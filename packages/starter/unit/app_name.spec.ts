import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { appName } from '#config/app'

/** What runs: everything but tests, documents and what describes the package to npm. */
const SOURCES = [
  '{app,bin,commands,config,database,modules,providers,start}/**/*.{ts,js}',
  '{resources,stubs,public}/**/*.{edge,json,stub,css,js,txt,html}',
  '.env.example',
]

test.group('The name of the application', () => {
  test('is written in config/app.ts alone', async ({ assert }) => {
    const files = globSync(SOURCES, { cwd: app.makePath() })
    assert.isAbove(files.length, 100)
    const found = await Promise.all(
      files.map(async (file) => {
        const text = await readFile(app.makePath(file), 'utf8')
        return text.includes(appName) ? [file] : []
      })
    )
    assert.deepEqual(found.flat(), ['config/app.ts'])
  })
})
