/* Loaded into a server: on SIGUSR2 it collects garbage and appends the megabytes of its heap to a file. */

import { appendFileSync } from 'node:fs'

process.on('SIGUSR2', () => {
  globalThis.gc()
  globalThis.gc()
  appendFileSync(process.env.FIGURES, `${process.memoryUsage().heapUsed / 2 ** 20}\n`)
})
