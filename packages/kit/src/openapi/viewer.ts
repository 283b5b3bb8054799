import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import type { ApplicationService, HttpRouterService } from '@adonisjs/core/types'

import { assertFound } from '#http/errors'
import { KIT_RESOURCES } from '#http/kit_views'
import type { OpenApi } from '#openapi/openapi'

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#description', validatorUrl: null })`

/** `GET /openapi.json`: the description. It is not there unless the setting `served` is on. */
export function openApiRoute(router: HttpRouterService, openapi: OpenApi): void {
  router
    .get('/openapi.json', async (ctx) => {
      assertFound(openapi.isServed, ctx)
      return ctx.response.header('Cache-Control', 'no-store').ok(await openapi.document())
    })
    .as('openapi.show')
}

/** `GET /openapi`: the description as a page, outside production and where `swagger-ui-dist` is installed. */
export function viewerRoutes(router: HttpRouterService, app: ApplicationService): void {
  const files = app.inProduction ? null : viewerFiles(app)
  if (!files) {
    return
  }
  /* Scripts and styles are files: the policy of the application allows no others. */
  const page = readFileSync(join(KIT_RESOURCES, 'openapi_viewer.html'), 'utf8')
  router.get('/openapi', ({ response }) => {
    const policy = response.getHeader('content-security-policy')
    if (policy && !String(policy).includes('img-src')) {
      /* Icons of the style sheet are in it. */
      response.header('Content-Security-Policy', `${policy}; img-src 'self' data:`)
    }
    return response.type('html').send(page)
  })
  router.get('/openapi/start.js', ({ response }) => response.type('js').send(START))
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    router.get(`/openapi/${name}`, ({ response }) => response.download(files(name)))
  }
}

function viewerFiles(app: ApplicationService): ((name: string) => string) | null {
  const { resolve } = createRequire(pathToFileURL(app.makePath('package.json')))
  try {
    resolve('swagger-ui-dist/package.json')
    return (name) => resolve(`swagger-ui-dist/${name}`)
  } catch {
    return null
  }
}
