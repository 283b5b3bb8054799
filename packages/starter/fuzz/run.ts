/*
|--------------------------------------------------------------------------
| npm run fuzz
|--------------------------------------------------------------------------
|
|   npm run fuzz -- --seed 7 --seconds 600 --spa
|   DB_CONNECTION=pg npm run fuzz -- --requests 5000
|
| Starts a server of its own on a database of its own, and sends it random
| requests to every route: well-formed, malformed and broken off. It fails when
| an answer is a 5xx (503 with Retry-After is allowed) or takes longer than three
| seconds, the process ends, a file stays in the temporary folder, an error is
| logged, or a secret is in an answer or in the log.
|
| The same seed makes the same requests, apart from the caller's credentials.
|
*/

import { randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { runScript, startServer, stopServer } from '#starter/helpers/server_process'

import { type Caller, registerClient, signUp } from './caller.js'
import { Random } from './random.js'
import { type FuzzRoute, createRequest } from './requests.js'
import { type Answer, type FuzzRequest, send } from './wire.js'

/** Milliseconds. */
const SLOW = 3000
/** Requests that are sent at once. */
const AT_ONCE = 4
/** Requests until the caller gets new credentials: some of them end a session or a token. */
const PER_CALLER = 200
/** The longest secret may lie across two chunks of the log. */
const OVERLAP = 2000

const { values: options } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    seconds: { type: 'string', default: '60' },
    requests: { type: 'string', default: 'Infinity' },
    spa: { type: 'boolean', default: false },
  },
})
const seed = Number(options.seed)
const seconds = Number(options.seconds)
const limit = Number(options.requests)
if ([seed, seconds, limit].some((value) => !(value >= 0)) || seconds === Infinity) {
  process.stderr.write('--seed, --seconds and --requests are numbers.\n')
  process.exit(1)
}

const write = (line: string) => process.stdout.write(`${line}\n`)
write(`Seed ${seed}: "npm run fuzz -- --seed ${seed}${options.spa ? ' --spa' : ''}" repeats it.`)

const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
const temporary = join(folder, 'tmp')
await mkdir(temporary)

const keys = {
  APP_KEY: randomBytes(24).toString('hex'),
  OAUTH_KEY: randomBytes(24).toString('hex'),
}
const env: Record<string, string> = {
  ...keys,
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  SQLITE_FILE: join(folder, 'db.sqlite3'),
  DB_DATABASE: `${process.env.DB_DATABASE ?? 'app'}_fuzz`,
  OAUTH_GRANT_TYPES: 'authorization_code,client_credentials,refresh_token,password',
  STATEFUL_ORIGINS: options.spa ? 'https://spa.example.com' : '',
}

let log = ''
/** Where the log has been searched up to: for errors, and for secrets. */
let searched = 0
let leakless = 0
const secrets = new Map<string, string>(Object.entries(keys).map(([name, key]) => [key, name]))
const failures: string[] = []
let stop: (() => Promise<unknown>) | undefined

async function ace(...args: string[]) {
  const { code, stdout, stderr } = await runScript('bin/console.ts', args, env)
  if (code !== 0) {
    throw new Error(`"node ace ${args.join(' ')}" failed: ${stdout}${stderr}`)
  }
  return stdout
}

async function listRoutes(): Promise<FuzzRoute[]> {
  const domains = JSON.parse(await ace('list:routes', '--json')) as { routes: FuzzRoute[] }[]
  return domains.flatMap(({ routes }) => routes)
}

/** The name of a secret in a text, or null. */
function leakIn(text: string): string | null {
  return [...secrets].find(([secret]) => text.includes(secret))?.[1] ?? null
}

function complaintsOf({ complete }: FuzzRequest, { statuses, text, milliseconds }: Answer) {
  const complaints: string[] = []
  const isBusy = /^retry-after:/im.test(text)
  const wrong = statuses.find((status) => status >= 500 && !(status === 503 && isBusy))
  if (wrong) {
    complaints.push(`answered ${wrong}`)
  }
  if (milliseconds > SLOW && complete) {
    complaints.push(`took ${Math.round(milliseconds)} ms`)
  }
  /* The session cookie belongs where it is set, and nowhere else. */
  const leak = leakIn(text.replace(/^set-cookie:.*$/gim, ''))
  if (leak) {
    complaints.push(`shows ${leak}`)
  }
  return complaints
}

/** Prints a request and keeps its bytes in a file, to be sent again: `nc 127.0.0.1 3333 < file`. */
async function print(index: number, what: string, { bytes }: FuzzRequest, answer?: Answer) {
  const file = join('tmp', `fuzz-${seed}-${index}.http`)
  await mkdir('tmp', { recursive: true })
  await writeFile(file, bytes)
  write(`Request ${index} ${what}. Its bytes are in ${file}:`)
  write(JSON.stringify(bytes.subarray(0, 3000).toString('latin1')))
  if (answer) {
    write(`The answer: ${JSON.stringify(answer.text.slice(0, 1500))}`)
  }
}

/** Sends a request and reports what is wrong with the answer. */
async function check(url: string, index: number, request: FuzzRequest) {
  let answer = await send(url, request)
  if (answer.milliseconds > SLOW && request.complete) {
    /* Once more, and alone: the machine may have been busy. */
    answer = await send(url, request)
  }
  const complaints = complaintsOf(request, answer)
  if (complaints.length) {
    const what = complaints.join(' and ')
    fail(`request ${index} ${what}`)
    await print(index, what, request, answer)
  }
  return answer.statuses
}

/** Searches what has been logged since the last time, and names the requests that may be the cause. */
async function checkLog(first: number, requests: FuzzRequest[]) {
  const leak = leakIn(log.slice(leakless))
  const error = /^.*"level":[56]0.*$/m.exec(log.slice(searched))?.[0]
  searched = log.length
  leakless = leak ? searched : Math.max(leakless, searched - OVERLAP)
  for (const what of [leak && `logged ${leak}`, error && `logged an error: ${error}`]) {
    if (what) {
      fail(what)
      for (const [offset, request] of requests.entries()) {
        await print(first + offset, 'may be the one', request)
      }
    }
  }
}

async function fuzz(url: string, routes: FuzzRoute[], client: Caller['client']) {
  const random = new Random(seed)
  const counts = new Map<number, number>()
  const end = performance.now() + seconds * 1000
  let caller: Caller | undefined
  let sent = 0
  while (sent < limit && performance.now() < end && failures.length < 20) {
    if (!caller || sent % PER_CALLER === 0) {
      caller = await signUp(url, client)
      Object.entries(caller.secrets).forEach(([name, secret]) => secrets.set(secret, name))
    }
    const size = Math.min(AT_ONCE, limit - sent)
    const requests = Array.from({ length: size }, () => createRequest(random, routes, caller!))
    const first = sent
    const answers = await Promise.all(
      requests.map((request, offset) => check(url, first + offset, request))
    )
    for (const status of answers.flat()) {
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
    await checkLog(first, requests)
    sent += size
  }
  const summary = [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
  write(`${sent} requests to ${routes.length} routes. Answers: ${summary.join(', ')}`)
}

function fail(what: string) {
  failures.push(what)
  write(`FAILED: ${what}`)
}

async function checkAfterwards(url: string) {
  const health = await fetch(`${url}/health`).catch(() => null)
  if (health?.status !== 200) {
    return fail(`the server does not answer any more (${health?.status ?? 'no connection'})`)
  }
  for (let attempt = 0; attempt < 50 && (await readdir(temporary)).length; attempt++) {
    await sleep(100)
  }
  const files = await readdir(temporary)
  if (files.length) {
    fail(`files stayed in the temporary folder: ${files.join(', ')}`)
  }
  const code = await stopServer(url)
  if (code !== 0) {
    fail(`the server ended with code ${code}`)
  }
  await checkLog(0, [])
}

try {
  await ace('db:prepare', '--fresh')
  const onOutput = (text: string) => void (log += text)
  const [routes, client, url] = await Promise.all([
    listRoutes(),
    registerClient(env),
    startServer(
      { ...env, LOG_LEVEL: 'trace', TMPDIR: temporary },
      { onOutput, onError: onOutput, cleanup: (callback) => void (stop = callback) }
    ),
  ])
  secrets.set(client.secret, 'a client secret')
  await fuzz(url, routes, client)
  await checkAfterwards(url)
} catch (error) {
  fail((error as Error).stack!)
} finally {
  await stop?.()
  if (failures.length) {
    await mkdir('tmp', { recursive: true })
    await writeFile(join('tmp', `fuzz-${seed}.log`), log)
  }
  await rm(folder, { recursive: true, force: true })
}

write(failures.length ? `${failures.length} failures with seed ${seed}.` : 'No failures.')
process.exitCode = failures.length ? 1 : 0
