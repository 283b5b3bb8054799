/*
| What the benchmarks of single calls share: the application, booted on the test
| database inside a transaction that is rolled back, and the measuring.
*/

process.env.NODE_ENV = 'test'
process.env.LOG_LEVEL = 'silent'
await import('reflect-metadata')

const { Ignitor } = await import('@adonisjs/core')
const { APP_ROOT, IMPORTER } = await import('../bin/ignitor.js')

const ignitor = new Ignitor(APP_ROOT, { importer: IMPORTER }).tap((application) => {
  application.booting(async () => {
    await import('#start/env')
  })
})

export const app = ignitor.createApp('console')
await app.init()
await app.boot()
await app.start(() => {})

const { default: db } = await import('@adonisjs/lucid/services/db')
await db.beginGlobalTransaction()

/** Rolls everything back and ends the application. */
export async function finish() {
  await db.rollbackGlobalTransaction()
  await app.terminate()
}

/** Makes a function that prints the best of a few rounds, in microseconds of CPU time for each call. */
export function measurer({ calls, rounds }: { calls: number; rounds: number }) {
  return async (name: string, call: () => unknown) => {
    let best = Infinity
    for (let round = 0; round < rounds; round++) {
      const start = process.cpuUsage()
      for (let count = 0; count < calls; count++) {
        await call()
      }
      const { user, system } = process.cpuUsage(start)
      best = Math.min(best, (user + system) / calls)
    }
    process.stdout.write(`${name.padEnd(40)} ${best.toFixed(1).padStart(8)} µs\n`)
  }
}
