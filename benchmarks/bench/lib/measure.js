/* One contestant under one workload. */

import { spawn } from 'node:child_process'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { fill, send, toText } from './http.js'
import { refusals } from './refusals.js'
import { NODE, freePort, pinned, start } from './server.js'
import { WORKLOADS } from './workloads.js'

const LOAD = fileURLToPath(new URL('load.js', import.meta.url))

/** As many people sign in; one more is for what has to be refused. */
export const CONNECTIONS = 20

/** Milliseconds after which a cell ends, whatever it has measured. */
const LIMIT = 30_000

export const log = (line) => process.stderr.write(`${line}\n`)

/** Starts a contestant, signs people in and sees what it refuses. */
export async function open(contestant, folder) {
  const port = await freePort()
  const command = await contestant.start({ folder, port })
  Object.assign(contestant, await start(command, { port, log: join(folder, 'servers.log') }))
  if (contestant.people) {
    const people = await contestant.people(contestant.base, CONNECTIONS + 1)
    contestant.refused = await refusals(contestant, people.pop(), obtainTokens)
    contestant.signedIn = people
    await obtainAll(contestant)
    contestant.refused.forEach(({ what, isRefused }) => {
      if (!isRefused) {
        log(`${contestant.name}: ${what} is NOT refused`)
      }
    })
  }
}

/** A code for a person, redeemed. */
async function obtainTokens({ base, mint, requests }, person) {
  const code = await mint(base, person)
  const response = await send(base, fill(requests.W2c, { ...person, code }))
  if (response.status !== 200) {
    throw new Error(`No tokens: ${response.status} ${response.body}`)
  }
  const { access_token: access, refresh_token: refresh } = JSON.parse(response.body)
  return Object.assign(person, { access_token: access, refresh_token: refresh })
}

/** Fresh tokens for everybody: rotations have revoked those of before. */
async function obtainAll(contestant) {
  if (contestant.mint) {
    await Promise.all(contestant.signedIn.map((person) => obtainTokens(contestant, person)))
  }
}

/** What the load has to do for one workload. */
async function task(contestant, workload, { warmup, duration }) {
  const { port, pid, requests, signedIn, base, mint } = contestant
  const { mode = 'repeat', expect } = contestant.isCeiling && !signedIn ? { expect: '' } : workload
  const request = requests[workload.name]
  const people = signedIn ?? Array(CONNECTIONS).fill({})
  const connections = people.length
  const common = { port, pid, connections, duration, warmup, limit: LIMIT, mode, expect }
  if (mode === 'chain') {
    await obtainAll(contestant)
    const tokens = people.map((person) => person.refresh_token)
    const placeholder = 'REFRESH_TOKEN'
    const text = toText(fill(request, { ...people[0], refresh_token: placeholder }), port)
    return { ...common, tokens, placeholder, request: text }
  }
  if (mode === 'list') {
    const texts = []
    const codes = Math.ceil((warmup + duration * 2) / connections)
    for (let index = 0; index < codes; index++) {
      const minted = people.map(async (person) => {
        const code = await mint(base, person)
        return toText(fill(request, { ...person, code }), port)
      })
      texts.push(...(await Promise.all(minted)))
    }
    return { ...common, requests: texts }
  }
  if (signedIn) {
    await obtainAll(contestant)
  }
  return { ...common, requests: people.map((person) => toText(fill(request, person), port)) }
}

async function load(work) {
  const [command, args] = pinned(cpus().length - 1, NODE, [LOAD])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(JSON.stringify(work))
  return json(child.stdout)
}

/**
 * One cell of the table.
 *
 * @param duration milliseconds that are measured
 * @param warmup requests before
 */
export async function measure(contestant, name, { duration, warmup, label = '' }) {
  const workload = { name, ...WORKLOADS[name] }
  const result = await load(await task(contestant, workload, { duration, warmup }))
  const cell = { workload: name, contestant: contestant.name, ...result }
  const failed = result.failures ? `  ${result.failures} WRONG: ${result.example}` : ''
  log(
    `${label}${name.padEnd(4)}${contestant.name.padEnd(30)}${cell.cpu?.toFixed(0).padStart(6)} µs ` +
      `${cell.rate.toFixed(0).padStart(7)}/s  p50 ${cell.p50?.toFixed(1)}  p99 ${cell.p99?.toFixed(1)} ms${failed}`
  )
  return cell
}
