import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'
import edge from 'edge.js'

import { DeferredRenderer } from '#kit/http/deferred_view'

test.group('ctx.view', () => {
  test("has every method of Edge's renderer", ({ assert }) => {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(edge.createRenderer()))
    const deferred = Object.getOwnPropertyNames(DeferredRenderer.prototype)
    assert.sameMembers(deferred, methods)
  })

  test('templates see what was shared before and after the first rendering', async ({ assert }) => {
    const { view, request } = new HttpContextFactory().create()
    view.share({ first: 'a' }).share({ second: 'b' })
    assert.equal(await view.renderRaw('{{ first }}{{ second }}'), 'ab')
    view.share({ third: 'c' })
    assert.equal(view.renderRawSync('{{ first }}{{ third }}'), 'ac')
    assert.equal(view.clone().renderRawSync('{{ request.url() }}'), request.url())
    assert.containsSubset(view.getState(), { first: 'a', third: 'c' })
  })
})
