/*
|--------------------------------------------------------------------------
| Ace entry point
|--------------------------------------------------------------------------
|
| Boots the AdonisJS command-line framework and executes commands. Commands
| do not boot the application, unless they set "options.startApp".
|
*/

await import(new URL('./runtime.js', import.meta.url).href)
await import('reflect-metadata')
const { APP_ROOT, IMPORTER, start } = await import('./ignitor.js')
const { Ignitor } = await import('@adonisjs/core')

await start(new Ignitor(APP_ROOT, { importer: IMPORTER }), (ignitor) =>
  ignitor.ace().handle(process.argv.splice(2))
)
