/* The production build as bin/server.js starts it, except that anonymous MCP calls are not limited: the load is one caller. */

import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const root = pathToFileURL(`${process.cwd()}/`)
const { resolve } = createRequire(new URL('bin/server.js', root))
const load = (file) => import(new URL(file, root).href)

await import(pathToFileURL(resolve('reflect-metadata')).href)
const { Ignitor } = await import(pathToFileURL(resolve('@adonisjs/core')).href)
const { APP_ROOT, IMPORTER, start } = await load('bin/ignitor.js')
const { createHttpServer } = await load('packages/kit/src/http/server.js')

const ignitor = new Ignitor(APP_ROOT, { importer: IMPORTER })
ignitor.tap((app) =>
  app.booted(() => {
    const { anonymousMcpCalls: limits } = app.config.get('throttle')
    limits.perAddress.attempts = 1e9
    limits.perSubjectAndAddress.attempts = 1e9
  })
)
await start(ignitor, () => ignitor.httpServer().start((handler) => createHttpServer(handler)))
