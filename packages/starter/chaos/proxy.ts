import { once } from 'node:events'
import { type Server, type Socket, connect, createServer } from 'node:net'

/** A TCP proxy to a database whose network can fail. */
export class Proxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isSilent = false
  #port = 0

  constructor(target: { host: string; port: number }) {
    this.#server = createServer((near) => {
      const far = connect(target.port, target.host)
      this.#join(near, far)
      this.#join(far, near)
    })
  }

  get port(): number {
    return this.#port
  }

  async open(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#port = (this.#server.address() as { port: number }).port
  }

  /** Breaks every connection and refuses new ones. */
  async cut(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#sockets.forEach((socket) => socket.resetAndDestroy())
    await closed
  }

  /** Accepts connections and delivers nothing, as a network that loses every packet. */
  silence(): void {
    this.#isSilent = true
    this.#sockets.forEach((socket) => socket.pause())
  }

  /** Delivers what was sent meanwhile. */
  speak(): void {
    this.#isSilent = false
    this.#sockets.forEach((socket) => socket.resume())
  }

  #join(socket: Socket, other: Socket) {
    this.#sockets.add(socket)
    socket.on('data', (chunk) => other.write(chunk))
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#sockets.delete(socket)
      other.destroy()
    })
    if (this.#isSilent) {
      socket.pause()
    }
  }
}
