/*
| What the benchmarks of single calls share: the application, booted inside a
| transaction that is rolled back, and the measuring.
*/

import { app, close, migrate } from './application.js'

await migrate()
const { default: db } = await import('@adonisjs/lucid/services/db')
await db.beginGlobalTransaction()

export { app }

/** Rolls everything back and ends the application. */
export async function finish() {
  await db.rollbackGlobalTransaction()
  await close()
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
