import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Random } from '#starter/fuzz/random'
import { processId, startServer, stopServer } from '#starter/helpers/server_process'

/** Connections that are open at once. */
const AT_ONCE = 50
/** The part of the connections after which a server has made everything that it keeps. */
const WARM_UP = 0.2
/** How much more memory than after the warm-up is no leak. */
const GROWTH = 1.1
/** Milliseconds in which memory is given back. */
const SETTLING = 60_000
/** Seconds in which a server ends that was told to: docs/deploying.md. */
const STOPPING = 64
/** Servers that are stopped at once. */
const STOPPED_AT_ONCE = 4

const JSON_BODY = JSON.stringify({ email: 'nobody@example.com', password: 'not my secret' })
const REQUESTS = [
  'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /api/me HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /login HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n',
  ...['/login', '/password/email', '/oauth/token', '/mcp'].map(
    (path) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}`
  ),
]

/** A connection with one request or several behind each other, which is cut: at once, after a moment, or in the first answer. */
async function leave(url: string, random: Random): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  const bytes = Array.from({ length: 1 + random.below(4) }, () => random.pick(REQUESTS)).join('')
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  socket.write(random.below(4) ? bytes : bytes.slice(0, -1 - random.below(40)))
  const cut = () => socket.destroy()
  const how = random.below(3)
  if (how === 2) socket.once('data', cut)
  /* A request that misses its end gets no answer. */
  setTimeout(cut, how === 0 ? 0 : how === 1 ? random.below(30) : 500).unref()
  await closed
}

async function leaveOften(url: string, random: Random, goesOn: () => boolean): Promise<void> {
  const leaver = async () => {
    while (goesOn()) await leave(url, random)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, leaver))
}

/** Mebibytes that a process holds. */
async function memoryOf(url: string): Promise<number> {
  const status = await readFile(`/proc/${processId(url)}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024
}

async function soakOne(url: string, connections: number, random: Random) {
  let left = connections * WARM_UP
  await leaveOften(url, random, () => left-- > 0)
  await sleep(5000)
  const before = await memoryOf(url)
  left = connections * (1 - WARM_UP)
  await leaveOften(url, random, () => left-- > 0)
  let after = await memoryOf(url)
  for (const end = Date.now() + SETTLING; after > before * GROWTH && Date.now() < end;) {
    await sleep(1000)
    await fetch(`${url}/health`)
    after = Math.min(after, await memoryOf(url))
  }
  return { before, after }
}

/** Stops a server in the middle, and says after how many seconds it has ended; Infinity for an end that is none. */
async function stopOne(env: Record<string, string>, random: Random): Promise<number> {
  const url = await startServer(env, { cleanup: () => {} })
  let isOn = true
  const load = leaveOften(url, random, () => isOn)
  await sleep(200 + random.below(800))
  const start = performance.now()
  const code = await Promise.race([
    stopServer(url),
    sleep((STOPPING + 6) * 1000, null, { ref: false }),
  ])
  const seconds = (performance.now() - start) / 1000
  isOn = false
  await load
  if (code === 0) return seconds
  const id = processId(url)
  if (id !== null) process.kill(id, 'SIGKILL')
  return Infinity
}

/**
 * Sends a server connections that are cut, and stops servers under them. Returns what is wrong:
 * memory that is not given back, and a server that does not end in time.
 */
export async function soak(
  env: Record<string, string>,
  { connections, stops, random }: { connections: number; stops: number; random: Random },
  write: (line: string) => void
): Promise<string[]> {
  const failures: string[] = []
  const url = await startServer(env, { cleanup: () => {} })
  const { before, after } = await soakOne(url, connections, random)
  const health = await fetch(`${url}/health`)
  await stopServer(url)
  write(
    `${connections} connections cut: ${before.toFixed(0)} MiB before, ${after.toFixed(0)} MiB after`
  )
  if (after > before * GROWTH) failures.push('the memory of cut connections is not given back')
  if (health.status !== 200) failures.push(`after them /health is ${health.status}`)

  const taken: number[] = []
  while (taken.length < stops) {
    const count = Math.min(STOPPED_AT_ONCE, stops - taken.length)
    taken.push(...(await Promise.all(Array.from({ length: count }, () => stopOne(env, random)))))
  }
  const late = taken.filter((seconds) => seconds > STOPPING).length
  const slowest = Math.max(0, ...taken)
  write(
    `${stops} stops under such load: ${stops - late} in time, the slowest after ${slowest.toFixed(1)} s`
  )
  if (late) failures.push(`${late} servers did not end with 0 within ${STOPPING} s`)
  return failures
}
