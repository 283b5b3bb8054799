import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { serverUrl } from '#starter/helpers/server_url'

/**
 * Sends bytes as they are and resolves with the first answer, or with what came
 * before the server closed the connection.
 *
 * @param leave whether to close the connection at once, without waiting for an answer
 */
export async function sendRaw(
  parts: (string | Buffer)[],
  { leave = false, url }: { leave?: boolean; url?: string } = {}
): Promise<string> {
  const { hostname, port } = new URL(url ?? (await serverUrl()))
  const socket = connect(Number(port), hostname)
  return new Promise((resolve, reject) => {
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
      if (isComplete(answer)) {
        socket.destroy()
      }
    })
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(answer) : reject(error)
    )
    socket.on('close', () => resolve(answer))
    parts.forEach((part) => socket.write(part))
    if (leave) {
      socket.end()
    }
  })
}

function isComplete(answer: string) {
  const end = answer.indexOf('\r\n\r\n')
  if (end === -1) {
    return false
  }
  const head = answer.slice(0, end)
  const length = /content-length: (\d+)/i.exec(head)
  return /transfer-encoding: chunked/i.test(head)
    ? answer.endsWith('0\r\n\r\n')
    : answer.length >= end + 4 + Number(length?.[1] ?? 0)
}

/** A POST with these headers and this body, whose length is told truly unless a header says another. */
export function rawPost(path: string, headers: Record<string, string>, body: string | Buffer) {
  const all = { 'Host': 'localhost', 'Content-Length': String(Buffer.byteLength(body)), ...headers }
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return [`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n`, body]
}

/**
 * Sends such a request whose last ten bytes come more than a second later, and resolves with the answer.
 *
 * @param meanwhile what happens before they do
 */
export async function sendSlowly(
  path: string,
  headers: Record<string, string>,
  body: string,
  meanwhile: () => Promise<unknown>
): Promise<string> {
  const { hostname, port } = new URL(await serverUrl())
  const [head] = rawPost(path, { Connection: 'close', ...headers }, body)
  const socket = connect(Number(port), hostname)
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk))
  socket.write(`${head}${body.slice(0, -10)}`)
  await sleep(200)
  await meanwhile()
  await sleep(1200)
  socket.write(body.slice(-10))
  await once(socket, 'close')
  return answer
}
