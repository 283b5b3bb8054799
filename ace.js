/*
|--------------------------------------------------------------------------
| JavaScript entrypoint for running ace commands
|--------------------------------------------------------------------------
|
| DO NOT MODIFY THIS FILE AS IT WILL BE OVERRIDDEN DURING THE BUILD PROCESS.
|
| The runtime comes first: under an older Node.js it runs this command again
| under the one that the "node" package brings. Then TypeScript is registered
| with Node.js and the console entrypoint takes over.
|
*/

await import('./bin/runtime.js')
await import('@poppinss/ts-exec')
await import('./bin/console.js')
