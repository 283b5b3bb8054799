import { globSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'
import { Edge } from 'edge.js'

import { pageWords, plainPage } from '#export/pages'

const PAGES = app.makePath('resources/views/pages/oauth')
const LAYOUT = 'stubs/export/oauth2/resources/views/components/oauth/page.edge.stub'

const asked = {
  client_name: 'Notes',
  client_host: 'notes.example.com',
  user_id: '1',
  resource: null,
  redirect_kind: 'loopback',
  redirect_host: 'localhost',
  requires_login: false,
  scopes: [{ name: 'mcp:use', description: 'Connect', granted: true }],
  other_granted_scopes: [],
  browser: 'Firefox',
  system: null,
  requested_at: 1_800_000_000,
}

/** What the controllers give to a page. */
const STATE = {
  authorization: asked,
  device: asked,
  account: { email: 'ann@example.com' },
  action: '/oauth/authorizations/abc',
  canSwitch: true,
  userCode: 'ABCD-EFGH',
  outcome: 'approved',
  client: 'Notes',
  fields: { state: 'x' },
  problem: null,
}

/** Edge with nothing of this application but what is exported. */
async function plainEdge() {
  const edge = Edge.create()
  const words = JSON.parse(
    pageWords(await readFile(app.makePath('resources/lang/en/pages.json'), 'utf8'), 'Their app')
  )
  const views = await mkdtemp(join(tmpdir(), 'views-'))
  getActiveTest()!.cleanup(() => rm(views, { recursive: true }))
  await mkdir(join(views, 'components/oauth'), { recursive: true })
  await copyFile(app.makePath(LAYOUT), join(views, 'components/oauth/page.edge'))
  edge.mount(views)
  edge.global('csrfField', () => 'CSRF FIELD')
  edge.global('oauthWords', (name: string) => words[name] ?? `no word: ${name}`)
  return edge
}

test.group('Exported pages', () => {
  test('{$self} needs nothing but Edge, its words and a CSRF field')
    .with(globSync('*.edge', { cwd: PAGES }))
    .run(async ({ assert }, page) => {
      const edge = await plainEdge()
      const text = plainPage(await readFile(`${PAGES}/${page}`, 'utf8'))
      const html = await edge.renderRaw(text, STATE)
      assert.match(html, /<title>\w.*<\/title>/)
      assert.match(html, /<h1>\s*\w/)
      assert.notMatch(html, /no word|undefined|\[object/)
      if (html.includes('method="post"')) {
        assert.include(html, 'CSRF FIELD')
      }
    })
})
