import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { Edge } from 'edge.js'
import { getActiveTest, test } from '@japa/runner'

import { addKitViews } from '#kit/http/kit_views'

async function setUp(options: { cached?: boolean; only?: RegExp } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'views-'))
  getActiveTest()!.cleanup(() => rm(folder, { recursive: true }))
  const cached = options.cached ?? false
  const edge = Edge.create({ cache: cached })
  edge.mount(folder)
  addKitViews(edge, { ...options, cached })
  const write = async (name: string, text: string) => {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return { edge, write }
}

const EMPTY = `@!empty({ icon: 'inbox', text: 'Nothing' })`

test.group('Views of the kit', () => {
  test("a component is the kit's, until the application has a file of its name", async ({
    assert,
  }) => {
    const { edge, write } = await setUp()
    await write('page.edge', EMPTY)
    assert.match(await edge.render('page'), /<div class="empty">[^]*<svg[^]*Nothing/)
    await write('components/empty.edge', 'mine: {{ text }}')
    assert.equal(await edge.render('page'), 'mine: Nothing')
  })

  test('an icon that there is not is an error that names it', async ({ assert }) => {
    const { edge, write } = await setUp()
    await write('page.edge', `@!icon({ name: 'rocket' })`)
    await assert.rejects(
      () => edge.render('page'),
      'There is no icon "rocket" in components/icon.edge'
    )
  })

  test('a field has the attributes that it is given, and shows a zero', async ({ assert }) => {
    const { edge, write } = await setUp()
    edge.global('flashMessages', { get: (_: string, fallback: unknown) => fallback })
    await write('page.edge', `@!field({ label: 'Amount', name: 'amount', value: 0 })`)
    const page = await edge.render('page')
    const [input] = /<input[^>]*>/.exec(page)!
    assert.equal(
      input.replace(/\s+/g, ' '),
      '<input id="amount" name="amount" type="text" value="0" />'
    )
  })

  test('a page that was found once is not looked for again where templates are cached', async ({
    assert,
  }) => {
    const { edge, write } = await setUp({ cached: true })
    await write('page.edge', EMPTY)
    const before = await edge.render('page')
    await write('components/empty.edge', 'mine')
    assert.equal(await edge.render('page'), before)
  })

  test('components are listed once where templates are cached, and anew for every page elsewhere', async ({
    assert,
  }) => {
    const cached = (await setUp({ cached: true })).edge.loader
    assert.strictEqual(cached.listComponents(), cached.listComponents())
    const { loader } = (await setUp()).edge
    assert.notStrictEqual(loader.listComponents(), loader.listComponents())
  })

  test('"kit::" before a name means the kit\'s, whatever the application has', async ({
    assert,
  }) => {
    const { edge, write } = await setUp()
    await write('components/icon.edge', 'mine')
    const icon = { name: 'inbox' }
    assert.equal(await edge.render('components/icon', icon), 'mine')
    assert.include(await edge.render('kit::components/icon', icon), '<svg')
  })

  test('an application can take some of them, and keeps its own tags for the others', async ({
    assert,
  }) => {
    const { edge, write } = await setUp({ only: /oauth\// })
    await write('page.edge', `@!oauth.warning({ title: 'Look', text: 'out' })\n${EMPTY}`)
    const page = await edge.render('page')
    assert.match(page, /<strong>Look<\/strong>/)
    assert.include(page, EMPTY)
  })

  test('a template that is registered in memory comes first', async ({ assert }) => {
    const { edge } = await setUp()
    edge.registerTemplate('pages/error', { template: 'mine' })
    assert.equal(await edge.render('pages/error'), 'mine')
  })
})
