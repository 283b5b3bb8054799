import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'
import edge from 'edge.js'

import { mailPreviews } from '#kit/accounts/mail_previews'
import { pathTo } from '#kit/http/pages'
import { runScript } from '#starter/helpers/server_process'

const filesOf = (pattern: string) => globSync(pattern, { cwd: app.makePath() })
const TEMPLATES = filesOf('{,packages/kit/}resources/views/**/*.edge')
const CODE = filesOf('packages/kit/src/**/*.ts')
const ROUTES = filesOf('packages/kit/{providers/*,src/*/routes}.ts')

/** What `find` finds in files, after the name of the file. */
async function findIn(files: string[], find: (text: string) => string[]) {
  const found = await Promise.all(
    files.map(async (path) =>
      find(await readFile(app.makePath(path), 'utf8')).map((match) => `${path}: ${match}`)
    )
  )
  return found.flat()
}

/** Paths in attributes, and in what a template hands to components. A value inside of one stands for any. */
function pathsOf(template: string): string[] {
  const plain = template.replaceAll(/\{\{.*?\}\}|\$\{.*?\}/g, (value) =>
    /['"`]\//.test(value) ? value : 'x'
  )
  return [...plain.matchAll(/['"`](\/[^'"`\s?#]*)/g)].map(([, path]) => path!)
}

/** The root of a site stays where it is. */
const canMove = (path: string) =>
  path !== '/' && ['GET', 'POST'].some((method) => router.match(path, method, true))

/** The patterns of routes that the kit adds itself, so nobody moves them. */
const fixed = async () => (await findIn(ROUTES, pathsOf)).map((found) => found.split(': ')[1]!)

/** The code of the kit that links in mails come from. */
const linkedIn = (text: string) => (/ownUrl|linkTo|notifier\./.test(text) ? pathsOf(text) : [])

/** Names of routes that a file asks the address of. */
const namesOf = (text: string) =>
  [...text.matchAll(/\b(?:urlFor|pathTo|linkTo)\('([\w.]+)'/g)].map(([, name]) => name!)

test.group('Addresses of pages', () => {
  test('templates name the routes that they lead to, which can be moved', async ({ assert }) => {
    const literal = await findIn(TEMPLATES, (text) => pathsOf(text).filter(canMove))
    assert.deepEqual(literal, [])
  })

  test('mails name the routes of the application that they lead to, which can be moved', async ({
    assert,
  }) => {
    const own = await fixed()
    const literal = await findIn(CODE, (text) =>
      linkedIn(text).filter(
        (path) => canMove(path) && !own.includes(router.match(path, 'GET', false)!.route.pattern)
      )
    )
    assert.deepEqual(literal, [])
  })

  test('every mail leads to a page that is there, also of a command', async ({ assert }) => {
    const ctx = await testUtils.createHttpContext()
    const links = Object.entries(mailPreviews(ctx)).flatMap(([name, make]) => {
      const mail = make()
      mail.prepare()
      const { link } = mail.message.contentViews.text!.data!
      return link ? [[name, new URL(link).pathname] as const] : []
    })
    assert.deepEqual(
      links.flatMap(([name, path]) => (path === '/' ? name : [])),
      ['email_changed', 'account_deleted']
    )
    const lost = links.filter(([, path]) => !router.match(path, 'GET', false))
    assert.deepEqual(lost, [])
    const { stdout } = await runScript('packages/starter/helpers/fixtures/mail_in_command.ts')
    assert.equal(stdout, `${process.env.APP_URL}/account/security`)
  })

  test('every route that templates and the kit name is there', async ({ assert }) => {
    const isMissing = (name: string) => !router.has(name)
    const missing = await findIn([...TEMPLATES, ...CODE], (text) => namesOf(text).filter(isMissing))
    assert.deepEqual(missing, [])
  })

  test('an application that has no such page has its start page', ({ assert }) => {
    assert.equal(pathTo('session.create'), '/login')
    assert.equal(pathTo('pages.of.another.application'), '/')
  })

  test('paths that templates ask for are kept without what was added to them', ({ assert }) => {
    const { urlFor } = edge.globals
    assert.equal(urlFor('posts.index', [], { qs: { page: 2 } }), '/api/posts?page=2')
    assert.equal(urlFor('posts.index'), '/api/posts')
    assert.equal(urlFor('posts.index'), '/api/posts')
    assert.equal(urlFor('posts.show', [1]), '/api/posts/1')
    assert.equal(urlFor('posts.show', [2]), '/api/posts/2')
  })
})
