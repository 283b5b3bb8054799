import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { check, resolveConfig } from 'prettier'

import { codeBlocks } from '#starter/helpers/document_blocks'
import { compileBlocks } from '#starter/helpers/document_compiler'
import { isFile } from '#starter/helpers/page_steps'

test.group('Code of the documents', () => {
  test('every TypeScript block compiles', ({ assert }) => {
    const blocks = codeBlocks('ts').filter((block) => !isFile(block))
    assert.isNotEmpty(blocks)
    assert.deepEqual(compileBlocks(blocks), [])
  }).timeout(120_000)

  test('a file that a reader copies passes Prettier', async ({ assert }) => {
    const options = await resolveConfig(app.makePath('package.json'))
    const files = codeBlocks('ts').filter(isFile)
    const passes = await Promise.all(
      files.map(({ code }) => check(code, { ...options, parser: 'typescript' }))
    )
    const refused = files.filter((_, index) => !passes[index])
    assert.isNotEmpty(files)
    assert.deepEqual(
      refused.map(({ document, line }) => `${document}:${line}`),
      []
    )
  })

  test('a class that is injected is imported as a value, because the container asks for it', ({
    assert,
  }) => {
    const injecting = codeBlocks('ts').filter(({ code }) => code.includes('@inject()'))
    const erased = injecting.filter(({ code }) => {
      const types = [...code.matchAll(/^import type \{ ([^}]+) \}/gm)].flatMap(([, names]) =>
        names!.split(', ')
      )
      const [, injected = ''] = /constructor\(([^)]*)\)/.exec(code) ?? []
      return types.some((name) => injected.includes(`: ${name}`))
    })
    assert.isNotEmpty(injecting)
    assert.deepEqual(
      erased.map(({ document, line }) => `${document}:${line}`),
      []
    )
  })
})
