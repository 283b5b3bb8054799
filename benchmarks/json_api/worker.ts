/* One way to make the document, in a process of its own: a document for each message. */

import { close } from '../application.js'
import { CONTESTANTS } from './contestants.js'

/** Milliseconds of CPU that the process has used, all threads counted. */
function cpu() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

const make = await CONTESTANTS[process.argv[2]!]!()

async function answer() {
  const start = cpu()
  await make()
  process.send!({ time: cpu() - start })
}

process.on('message', () => void answer())
process.on('disconnect', () => void close())
process.send!({ time: null })
