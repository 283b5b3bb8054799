/*
| The load: a process of its own, so that its work is not counted as the server's.
| Raw sockets that are kept alive, each with one request at a time. Reads a task
| on stdin and writes what it measured to stdout.
*/

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

const task = JSON.parse(await text(process.stdin))

/** Microseconds of CPU that the server has used, all threads. */
function serverCpu() {
  const fields = readFileSync(`/proc/${task.pid}/stat`, 'latin1').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

/** Answers have a Content-Length, or come in chunks. */
function parse(buffer) {
  const end = buffer.indexOf('\r\n\r\n')
  if (end < 0) {
    return null
  }
  const head = buffer.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
  if (length !== undefined) {
    const size = end + 4 + Number(length)
    return buffer.length < size ? null : { status, body: buffer.toString('utf8', end + 4, size) }
  }
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
    const rest = buffer.toString('utf8', end + 4)
    return rest.endsWith('0\r\n\r\n') ? { status, body: rest } : null
  }
  return { status, body: '' }
}

class Connection {
  #socket = connect({ host: '127.0.0.1', port: task.port, noDelay: true })
  #received = Buffer.alloc(0)
  #waiting = null

  constructor() {
    this.#socket.on('data', (chunk) => {
      this.#received = this.#received.length ? Buffer.concat([this.#received, chunk]) : chunk
      const response = parse(this.#received)
      if (response) {
        this.#received = Buffer.alloc(0)
        this.#waiting.resolve(response)
      }
    })
    this.#socket.on('error', (error) => this.#waiting?.reject(error))
    this.#socket.on('close', () => this.#waiting?.reject(new Error('connection closed')))
  }

  send(request) {
    this.#waiting = Promise.withResolvers()
    this.#socket.write(request)
    return this.#waiting.promise
  }

  close() {
    this.#socket.destroy()
  }
}

const latencies = []
const failures = []
let isMeasuring = false
let answers = 0

async function measure(connection, request) {
  const start = performance.now()
  const response = await connection.send(request)
  if (++answers === task.warmup) {
    begin()
  }
  if (response.status !== 200 || !response.body.includes(task.expect)) {
    failures.push(`${response.status} ${response.body.slice(0, 200)}`)
  } else if (isMeasuring) {
    latencies.push(performance.now() - start)
  }
  return response
}

/** What a connection does until it returns. */
const modes = {
  /** The same request over and over. */
  async repeat(connection, index) {
    while (!isOver()) {
      await measure(connection, task.requests[index])
    }
  },
  /** Each refresh token comes from the answer before. */
  async chain(connection, index) {
    let token = task.tokens[index]
    while (!isOver()) {
      const { body } = await measure(connection, task.template(token))
      token = /"refresh_token":"([^"]+)"/.exec(body)?.[1]
      if (!token) {
        return
      }
    }
  },
  /** Each request once. */
  async list(connection) {
    while (task.requests.length) {
      await measure(connection, task.requests.pop())
    }
  },
}

if (task.mode === 'chain') {
  const [head, tail] = task.request.split(task.placeholder)
  const length = Number(/content-length: (\d+)/.exec(head)[1]) - task.placeholder.length
  task.template = (token) =>
    head.replace(/content-length: \d+/, `content-length: ${length + token.length}`) + token + tail
}

let started = 0
let cpu = 0
function begin() {
  isMeasuring = true
  started = performance.now()
  cpu = serverCpu()
}

/** A slow machine still answers a few hundred requests in the measured time. */
const ENOUGH = 300
const opened = performance.now()
const isOver = () => {
  const now = performance.now()
  const isMeasured = now - started > task.duration && latencies.length >= ENOUGH
  return (isMeasuring && isMeasured) || now - opened > task.limit
}

const connections = Array.from({ length: task.connections }, () => new Connection())
await Promise.all(
  connections.map((connection, index) =>
    modes[task.mode](connection, index).catch((error) => failures.push(error.message))
  )
)
const used = serverCpu() - cpu
const seconds = (performance.now() - started) / 1000
connections.forEach((connection) => connection.close())

latencies.sort((one, other) => one - other)
const count = latencies.length
process.stdout.write(
  JSON.stringify({
    count,
    failures: failures.length,
    example: failures[0] ?? null,
    cpu: used / count,
    rate: count / seconds,
    p50: latencies[Math.floor(count * 0.5)],
    p99: latencies[Math.floor(count * 0.99)],
  })
)
process.exit(0)
