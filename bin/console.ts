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
const { endMadeFilesInNewline } = await import('adonis-auth-kit/config')
const { explain } = await import('adonis-auth-kit/process')
const { isBare, withoutOwnCode } = await import('./bare_commands.js')
const { Ignitor } = await import('@adonisjs/core')

endMadeFilesInNewline()
const argv = process.argv.splice(2)

await start(new Ignitor(APP_ROOT, { importer: IMPORTER }), (ignitor) => {
  if (isBare(argv)) {
    ignitor.tap(withoutOwnCode)
  }
  return ignitor
    .ace()
    .configure(async (app) => {
      const { errorHandler, ui } = await app.container.make('ace')
      const render = errorHandler.render.bind(errorHandler)
      errorHandler.render = async (error, kernel) => {
        const sentence = explain(error)
        return render(sentence ?? error, kernel)
      }
      /* Migrations print the stack of their failure before it is rendered. */
      const fatal = ui.logger.fatal.bind(ui.logger)
      ui.logger.fatal = (error, options) => void (explain(error) ?? fatal(error, options))
    })
    .handle(argv)
})
