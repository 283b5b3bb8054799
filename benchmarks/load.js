/*
| Sends one request over and over from a process of its own, so that its work
| is not counted as the server's. Called by the benchmarks.
*/

import { Agent, request } from 'node:http'

const { url, headers, body, count, concurrency } = JSON.parse(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: concurrency })

function send() {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', () => {
        if (response.statusCode === 200) {
          resolve()
        } else {
          reject(new Error(`HTTP ${response.statusCode}`))
        }
      })
    })
    sent.on('error', reject).end(body)
  })
}

let left = count
async function work() {
  while (left-- > 0) {
    await send()
  }
}
await Promise.all(Array.from({ length: concurrency }, work))
agent.destroy()
