/*
| What logins cost everybody else: the time of GET /user/7 on a quiet server, and
| while 50 logins are under way at any moment. Takes the address of a running server:
|
|   node benchmarks/logins.js http://localhost:3333
*/

const [, , url = 'http://localhost:3333'] = process.argv
const SECONDS = 5
const LOGINS = 50

const statuses = new Map()

async function login() {
  const response = await fetch(`${url}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${crypto.randomUUID()}@example.com`, password: 'a password' }),
  })
  await response.text()
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
}

/** Milliseconds of one GET after another, sorted. */
async function measure() {
  const times = []
  const end = performance.now() + SECONDS * 1000
  while (performance.now() < end) {
    const start = performance.now()
    await (await fetch(`${url}/user/7`)).text()
    times.push(performance.now() - start)
  }
  return times.sort((a, b) => a - b)
}

function print(name, times) {
  const at = (share) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))].toFixed(1)
  process.stdout.write(
    `${name.padEnd(12)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  max ${at(1)} ms  (${times.length} requests)\n`
  )
}

print('quiet', await measure())

let busy = true
const logins = Array.from({ length: LOGINS }, async () => {
  while (busy) {
    await login()
  }
})
print('50 logins', await measure())
busy = false
await Promise.all(logins)
process.stdout.write(
  `logins: ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}\n`
)
