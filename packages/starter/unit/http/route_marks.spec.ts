import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { Router } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { boundResource, explainedChallenges } from '#kit/auth/challenge'
import { cors } from '#kit/http/cors'
import {
  clientEndpoint,
  combineMarks,
  createRouteMark,
  csrfExempt,
  isMarked,
  rawForm,
  redirectsForms,
  smallBody,
} from '#kit/http/route_marks'
import { oauthEndpoint, tellsSize } from '#kit/oauth2/protocol_error'

function matchedRoute(define: (router: Router) => void) {
  const router = new Router(app, {} as any, {} as any)
  define(router)
  router.commit()
  return router.match('/marked', 'POST', false)!.route
}

test.group('Route marks', () => {
  test('a route carries the marks it was given, and no others', ({ assert }) => {
    const route = matchedRoute((router) => {
      router.post('/marked', () => {}).use(csrfExempt)
    })
    assert.isTrue(isMarked(route, csrfExempt))
    assert.isFalse(isMarked(route, clientEndpoint))
  })

  test('a group gives its marks to its routes', ({ assert }) => {
    const route = matchedRoute((router) => {
      router.group(() => router.post('/marked', () => {})).use([csrfExempt, clientEndpoint])
    })
    assert.isTrue(isMarked(route, csrfExempt))
    assert.isTrue(isMarked(route, clientEndpoint))
  })

  test('combined marks are all of them, in one step of the pipeline', ({ assert }) => {
    const one = createRouteMark('one')
    const route = matchedRoute((router) => {
      router.post('/marked', () => {}).use([one, combineMarks(csrfExempt, clientEndpoint)])
    })
    for (const mark of [one, csrfExempt, clientEndpoint]) {
      assert.isTrue(isMarked(route, mark))
    }
    assert.isFalse(isMarked(route, smallBody))
    assert.equal(route.middleware.all().size, 2)
  })

  test('routes that share a handler do not share marks', ({ assert }) => {
    const handler = () => {}
    const route = matchedRoute((router) => {
      router.post('/other', handler).use(csrfExempt)
      router.post('/marked', handler)
    })
    assert.isFalse(isMarked(route, csrfExempt))
  })

  test('a request that no route matches carries no mark', ({ assert }) => {
    assert.isFalse(isMarked(undefined, csrfExempt))
  })

  test('a mark has a name for the list of routes, and lets every request pass', async ({
    assert,
  }) => {
    const mark = createRouteMark('example')
    assert.equal(mark.name, 'example')
    assert.equal(await mark(new HttpContextFactory().create(), () => 'next'), 'next')
  })

  test('the list of routes shows {name} under the name that it is imported by')
    .with(
      Object.entries({
        csrfExempt,
        rawForm,
        redirectsForms,
        clientEndpoint,
        smallBody,
        explainedChallenges,
        oauthEndpoint,
        tellsSize,
        boundResource: boundResource(() => null),
        cors: cors({ origins: '*', methods: [], headers: [] }),
      }).map(([name, mark]) => ({ name, mark }))
    )
    .run(({ assert }, { name, mark }) => {
      assert.equal(mark.name, name)
    })
})
