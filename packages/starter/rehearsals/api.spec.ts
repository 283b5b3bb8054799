import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { apiPage } from '#starter/documents/api'

test.group('The public surface of the kit', () => {
  test('packages/kit/API.md is what "npm run docs" writes', async ({ assert }) => {
    const written = await readFile(app.makePath('packages/kit/API.md'), 'utf8')
    assert.equal(written, apiPage())
  })
})
