import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

import type { ApplicationService, HttpRouterService } from '@adonisjs/core/types'

import { assertFound } from '#http/found'
import type { OpenApi } from '#openapi/openapi'

const TYPES: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

/* Scripts and styles are files: the policy of the application allows no others. */
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>OpenAPI</title>
    <link rel="stylesheet" href="/openapi/swagger-ui.css">
  </head>
  <body>
    <main id="description"></main>
    <noscript>
      <h1>OpenAPI</h1>
      <p>This page needs JavaScript. The description is at <a href="/openapi.json">/openapi.json</a>.</p>
    </noscript>
    <script src="/openapi/swagger-ui-bundle.js"></script>
    <script src="/openapi/start.js"></script>
  </body>
</html>`

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
  router.get('/openapi', ({ response }) => {
    const policy = response.getHeader('content-security-policy')
    if (policy && !String(policy).includes('img-src')) {
      /* Icons of the style sheet are in it. */
      response.header('Content-Security-Policy', `${policy}; img-src 'self' data:`)
    }
    return response.type('html').send(PAGE)
  })
  router.get('/openapi/start.js', ({ response }) => response.type('js').send(START))
  for (const [name, type] of Object.entries(TYPES)) {
    router.get(`/openapi/${name}`, ({ response }) =>
      response.header('Content-Type', type).stream(createReadStream(files(name)))
    )
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
