import { connect } from 'node:net'

/** Bytes of one request, and whether an answer is due. */
export interface FuzzRequest {
  bytes: Buffer
  /** False for a request that ends early: the server may wait for its rest. */
  complete: boolean
}

export interface Answer {
  /** Status codes of everything that came back, without 1xx. */
  statuses: number[]
  text: string
  /** Until the connection closed. */
  milliseconds: number
}

/** Milliseconds after which nobody waits any longer. */
const PATIENCE = 10_000

/** Sends bytes and resolves with everything that came back until the connection closed. */
export function send(url: string, { bytes, complete }: FuzzRequest): Promise<Answer> {
  const { hostname, port } = new URL(url)
  const start = performance.now()
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({ host: hostname, port: Number(port) }, () => {
      socket.write(bytes)
      if (!complete) {
        socket.end()
      }
    })
    socket.setTimeout(PATIENCE, () => socket.destroy())
    socket.on('data', (chunk) => chunks.push(chunk))
    /* A refused body may reset the connection: what matters is what came before. */
    socket.on('error', () => {})
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString()
      resolve({ statuses: statusesOf(text), text, milliseconds: performance.now() - start })
    })
  })
}

function statusesOf(text: string): number[] {
  return [...text.matchAll(/^HTTP\/1\.[01] (\d{3})/gm)]
    .map(([, status]) => Number(status))
    .filter((status) => status >= 200)
}
