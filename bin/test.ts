/*
|--------------------------------------------------------------------------
| Test runner entrypoint
|--------------------------------------------------------------------------
|
| Runs the tests with Japa, directly or through the "test" command.
|
*/

import { existsSync } from 'node:fs'

process.env.NODE_ENV = 'test'

await import(new URL('./runtime.js', import.meta.url).href)
await import('reflect-metadata')
const { APP_ROOT, IMPORTER, start } = await import('./ignitor.js')
const { endMadeFilesInNewline } = await import('adonis-auth-kit/config')
const { Ignitor } = await import('@adonisjs/core')
const { configure, processCLIArgs, run } = await import('@japa/runner')

/* Before the application: its scopes are part of what starts. */
const scopes = new URL('../packages/starter/helpers/scopes.ts', import.meta.url)
if (existsSync(scopes)) {
  await import(scopes.href)
}
endMadeFilesInNewline()
await start(new Ignitor(APP_ROOT, { importer: IMPORTER }), (ignitor) =>
  ignitor
    .testRunner()
    .configure(async (app) => {
      const { runnerHooks, ...config } = await import('../tests/bootstrap.js')

      processCLIArgs(process.argv.splice(2))
      configure({
        ...app.rcFile.tests,
        ...config,
        setup: runnerHooks.setup,
        teardown: runnerHooks.teardown.concat([() => app.terminate()]),
      })
    })
    .run(() => run())
)
