/* AdonisJS 7 with a route and no middleware; the body parser of AdonisJS where a body is sent. */

import 'reflect-metadata'

import { Ignitor } from '@adonisjs/core'
import { defineConfig as defineApp } from '@adonisjs/core/app'
import { defineConfig as defineBodyParser } from '@adonisjs/core/bodyparser'
import { defineConfig as defineEncryption, drivers } from '@adonisjs/core/encryption'
import { defineConfig as defineHttp } from '@adonisjs/core/http'

const http = defineHttp({ generateRequestId: true, useAsyncLocalStorage: false })
const KEY = 'benchmark-benchmark-benchmark-benchmark'
const root = new URL('./', import.meta.url)

const ignitor = new Ignitor(root, { importer: (file) => import(file) }).tap((app) => {
  app.initiating(() => {
    app.useConfig({
      app: { http, appKey: KEY },
      encryption: defineEncryption({
        default: 'gcm',
        list: { gcm: drivers.aes256gcm({ keys: [KEY], id: 'gcm' }) },
      }),
      bodyparser: defineBodyParser({}),
      logger: { default: 'app', loggers: { app: { enabled: false } } },
    })
    app.rcContents(
      defineApp({ providers: [() => import('@adonisjs/core/providers/app_provider')] })
    )
  })
  app.starting(async () => {
    const router = await app.container.make('router')
    const server = await app.container.make('server')
    const { body } = router.named({ body: () => import('@adonisjs/core/bodyparser_middleware') })
    server.use([])
    router.get('/', () => ({ id: 1, email: 'user@bench.test' }))
    router.post('/', () => ({ access_token: 'x', active: true })).use(body())
  })
})
await ignitor.httpServer().start()
