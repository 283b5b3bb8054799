import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import encryption from '@adonisjs/core/services/encryption'

const PURPOSE = 'doctor'
const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded']

/** How a request has arrived, which tells whether its proxies are known. */
export interface ArrivedRequest {
  /** The address at the other end of the connection: the last proxy, if there is one. */
  peer: string
  isTrusted: boolean
  /** Names of the headers that a proxy has added. */
  forwarded: string[]
  protocol: string
  host: string | null
}

/** Proves to the application that whoever asks has its key. */
export function proveDoctor(): string {
  return encryption.encrypt(true, { expiresIn: '1 minute', purpose: PURPOSE })
}

/** How a request of the doctor has arrived; null for everybody else's. */
export function describeArrival({ request }: HttpContext): ArrivedRequest | null {
  const proof = request.header('x-doctor')
  if (!proof || encryption.decrypt(proof, PURPOSE) !== true) {
    return null
  }
  const peer = request.request.socket.remoteAddress ?? ''
  const trusts = app.config.get<(address: string, hop: number) => boolean>('app.http.trustProxy')
  return {
    peer,
    isTrusted: trusts(peer, 0),
    forwarded: FORWARDED.filter((name) => request.header(name) !== undefined),
    protocol: request.protocol(),
    host: request.host(),
  }
}
