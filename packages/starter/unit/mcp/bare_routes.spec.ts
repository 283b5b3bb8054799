import { RouterFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import { Route } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { bareRoutes, patternOf } from '#kit/mcp/mount'
import { explain } from '#kit/process/explain'

const HINT = 'AdonisJS has changed: see packages/kit/src/mcp/mount.ts'

/* What the module uses of AdonisJS beyond its documented interface. */
test.group('MCP bare routes', () => {
  const entry = { methods: ['POST'], handler: () => 'answered' }

  test('a route made without router middleware has none', ({ assert }) => {
    const router = new RouterFactory().create()
    router.use([async () => ({ default: class {} as never })])
    const group = bareRoutes(app, router, '/bare', [entry])
    const route = group.routes[0] as Route
    assert.instanceOf(route, Route, HINT)
    assert.equal(route.toJSON().middleware.all().size, 0, HINT)
  })

  test('the router finds a route that was pushed into a group, with all that the group adds', ({
    assert,
  }) => {
    const router = new RouterFactory().create()
    const group = bareRoutes(app, router, '/bare', [entry])
    router.group(() => {}).prefix('/unused')
    group.prefix('/outer').use(() => {})
    router.commit()

    const found = router.match('/outer/bare', 'POST', false)
    assert.equal(found?.route.pattern, '/outer/bare', HINT)
    assert.equal(found?.route.middleware.all().size, 1, HINT)
    assert.equal(patternOf(group), '/outer/bare', HINT)
  })

  test('a start page beside a server at the root ends the start with a sentence that says what to do', async ({
    assert,
  }) => {
    const router = new RouterFactory().create()
    bareRoutes(app, router, '/', [{ ...entry, methods: ['GET'] }])
    router.get('/', entry.handler)
    const error: unknown = await Promise.try(() => router.commit()).catch((failure) => failure)
    assert.equal(
      explain(error),
      'Two routes are "GET: /": take one out. If one is of an MCP server, which takes every method, mount it at another path, e.g. "/mcp".'
    )
  })
})
