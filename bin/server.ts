/*
|--------------------------------------------------------------------------
| HTTP server entrypoint
|--------------------------------------------------------------------------
|
| Starts the AdonisJS HTTP server. Run it directly, or let the "serve"
| command run it and watch for file changes.
|
*/

await import(new URL('./runtime.js', import.meta.url).href)
await import('reflect-metadata')
const { APP_ROOT, IMPORTER, start } = await import('./ignitor.js')
const { createHttpServer } = await import('adonis-auth-kit/http/server')
const { collectStartGarbage } = await import('adonis-auth-kit/process')
const { Ignitor } = await import('@adonisjs/core')

await start(new Ignitor(APP_ROOT, { importer: IMPORTER }), (ignitor) =>
  ignitor.httpServer().start((handler) => createHttpServer(handler))
)
collectStartGarbage()
