import { test } from '@japa/runner'

import { defineConfig } from '#kit/http/define_config'

test.group('Settings of bodies', () => {
  test('limit the shape of JSON and the size of fields, unless they say otherwise', ({
    assert,
  }) => {
    const { json, multipart } = defineConfig()
    assert.include(json, { maxDepth: 32, maxElements: 10_000 })
    assert.equal(multipart.fieldsLimit, 2 * 1024 * 1024)
    const own = defineConfig({
      json: { maxDepth: 5, maxElements: 6 },
      multipart: { fieldsLimit: '1kb' },
    })
    assert.include(own.json, { maxDepth: 5, maxElements: 6 })
    assert.equal(own.multipart.fieldsLimit, 1024)
  })

  test('make objects of names with dots, unless they say otherwise', ({ assert }) => {
    assert.deepInclude(defineConfig().form.queryString, { allowDots: true })
    const own = defineConfig({ form: { queryString: { allowDots: false } } })
    assert.deepInclude(own.form.queryString, { allowDots: false })
  })
})
