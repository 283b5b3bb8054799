import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { apiPage } from '#starter/documents/api'
import { exportedOpenApi } from '#starter/documents/openapi'

const read = (path: string) => readFile(app.makePath(path), 'utf8')

test.group('The public surface', () => {
  test('packages/kit/API.md is what "npm run docs" writes', async ({ assert }) => {
    assert.equal(await read('packages/kit/API.md'), apiPage())
  })

  test('packages/starter/fixtures/openapi.json is what it writes, too', async ({ assert }) => {
    assert.equal(await read('packages/starter/fixtures/openapi.json'), await exportedOpenApi())
  })
})
