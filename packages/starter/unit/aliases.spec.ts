import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

test.group('Aliases of package.json', () => {
  test('code that the packages of AdonisJS write finds what it imports', async ({ assert }) => {
    const { imports } = JSON.parse(await readFile(app.makePath('package.json'), 'utf8'))
    const stubs = globSync('node_modules/@adonisjs/*/build/**/*.stub', { cwd: app.makePath() })
    const texts = await Promise.all(stubs.map((stub) => readFile(app.makePath(stub), 'utf8')))
    const named = [...texts.join('\n').matchAll(/'(#\w+)\//g)].map(([, alias]) => `${alias}/*`)
    assert.includeMembers(named, ['#abilities/*', '#start/*'])
    assert.includeMembers(Object.keys(imports), named)
  })
})
