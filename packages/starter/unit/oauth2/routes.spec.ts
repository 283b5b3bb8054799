import { Router } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { HttpRouterService } from '@adonisjs/core/types'
import { test } from '@japa/runner'

import { defineConfig } from '#kit/oauth2/define_config'
import { oauthEndpoint } from '#kit/oauth2/protocol_error'
import { oauth2Routes, openIdRoutes } from '#kit/oauth2/routes'
import { clientEndpoint, csrfExempt, isMarked } from '#kit/http/route_marks'

function routesOf(issuer?: string) {
  const router = new Router(app, {} as any, {} as any)
  oauth2Routes(router as HttpRouterService, defineConfig({ issuer }))
  router.commit()
  return (method: string, path: string) => router.match(path, method, false)?.route
}

function openIdRoutesOf(issuer: string | null) {
  const router = new Router(app, {} as any, {} as any)
  openIdRoutes(router as HttpRouterService, { issuer })
  router.commit()
  return (method: string, path: string) => router.match(path, method, false)?.route
}

const WELL_KNOWN = '/.well-known/oauth-authorization-server'

test.group('OAuth routes', () => {
  test('an issuer with a path has every endpoint below it as well', ({ assert }) => {
    const find = routesOf('https://example.com/tenants/one/')
    assert.exists(find('GET', `${WELL_KNOWN}/tenants/one`))
    assert.exists(find('GET', WELL_KNOWN))
    for (const prefix of ['', '/tenants/one']) {
      assert.exists(find('GET', `${prefix}/oauth/authorize`))
      assert.exists(find('POST', `${prefix}/oauth/token`))
      assert.exists(find('DELETE', `${prefix}/oauth/tokens/x`))
    }
  })

  test('an issuer without a path adds no route', ({ assert }) => {
    for (const issuer of [undefined, 'https://example.com', 'https://example.com/']) {
      const find = routesOf(issuer)
      assert.exists(find('GET', WELL_KNOWN))
      assert.isUndefined(find('GET', `${WELL_KNOWN}/tenants/one`))
    }
  })

  test('the three endpoints of clients are exempt from CSRF wherever they are, and /token is not', ({
    assert,
  }) => {
    const find = routesOf('https://example.com/one')
    for (const prefix of ['', '/one']) {
      for (const [path, exempt, client] of [
        ['/oauth/token', true, true],
        ['/oauth/introspect', true, true],
        ['/oauth/revoke', true, true],
        ['/token', false, true],
        ['/oauth/authorize', false, false],
      ] as const) {
        const route = find('POST', prefix + path)
        assert.equal(isMarked(route, csrfExempt), exempt, path)
        assert.equal(isMarked(route, clientEndpoint), client, path)
        assert.isTrue(isMarked(route, oauthEndpoint), path)
      }
    }
  })
})

test.group('Routes of OpenID Connect', () => {
  test('are not there unless they are added', ({ assert }) => {
    const find = routesOf('https://example.com')
    for (const path of ['/.well-known/openid-configuration', '/oauth/userinfo', '/oauth/logout']) {
      assert.isUndefined(find('GET', path))
      assert.isUndefined(find('POST', path))
    }
  })

  test('an issuer with a path has its document below it, and where RFC 8414 puts it', ({
    assert,
  }) => {
    const find = openIdRoutesOf('https://example.com/one')
    const document = '/.well-known/openid-configuration'
    for (const path of [document, `/one${document}`, `${document}/one`, '/one/oauth/userinfo']) {
      assert.exists(find('GET', path), path)
    }
    assert.isUndefined(openIdRoutesOf(null)('GET', `/one${document}`))
  })

  test('what changes something for a person needs the CSRF token', ({ assert }) => {
    const find = openIdRoutesOf(null)
    for (const [path, exempt] of [
      ['/oauth/logout', true],
      ['/oauth/logout/confirm', false],
      ['/oauth/authorizations/x/select', false],
      ['/oauth/userinfo', true],
    ] as const) {
      assert.equal(isMarked(find('POST', path), csrfExempt), exempt, path)
    }
  })
})
