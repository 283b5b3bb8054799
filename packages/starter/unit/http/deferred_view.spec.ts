import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'
import edge from 'edge.js'
import { wrapForTest } from '#starter/helpers/replace'

test.group('ctx.view', () => {
  test('templates see what was shared before and after the first rendering', async ({ assert }) => {
    const { view, request } = new HttpContextFactory().create()
    view.share({ first: 'a' }).share({ second: 'b' })
    assert.equal(await view.renderRaw('{{ first }}{{ second }}'), 'ab')
    view.share({ third: 'c' })
    assert.equal(view.renderRawSync('{{ first }}{{ third }}'), 'ac')
    assert.equal(view.clone().renderRawSync('{{ request.url() }}'), request.url())
    assert.containsSubset(view.getState(), { first: 'a', third: 'c' })
  })

  test('an error of a template says where it was thrown, and keeps its cause', async ({
    assert,
  }) => {
    const { view } = new HttpContextFactory().create()
    const cause = new TypeError('the database is busy')
    const ask = () => {
      throw cause
    }
    const error: any = await view.renderRaw('one\n{{ ask() }}', { ask }).catch((thrown) => thrown)
    assert.equal(error.code, 'E_RUNTIME_EXCEPTION')
    assert.equal(error.line, 2)
    assert.strictEqual(error.cause, cause)
  })

  test('a renderer is made when a template is rendered, and not for what is shared', async ({
    assert,
  }) => {
    let made = 0
    wrapForTest(edge, 'createRenderer', (createRenderer) => () => {
      made++
      return createRenderer()
    })
    const { view } = new HttpContextFactory().create()
    view.share({ first: 'a' })
    assert.equal(made, 0)
    await view.renderRaw('{{ first }}')
    await view.renderRaw('{{ first }}')
    assert.equal(made, 1)
  })
})
