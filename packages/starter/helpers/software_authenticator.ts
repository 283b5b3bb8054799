import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const base64url = (data: Buffer) => data.toString('base64url')

/** CBOR of the few types that an attestation has (RFC 8949). */
function cbor(value: number | string | Buffer | Map<any, any>): Buffer {
  if (typeof value === 'number') {
    return value < 0 ? head(1, -1 - value) : head(0, value)
  }
  if (value instanceof Map) {
    const entries = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)])
    return Buffer.concat([head(5, value.size), ...entries])
  }
  const bytes = Buffer.from(value as string)
  return Buffer.concat([head(typeof value === 'string' ? 3 : 2, bytes.length), bytes])
}

function head(type: number, length: number): Buffer {
  if (length < 24) {
    return Buffer.from([(type << 5) | length])
  }
  return length < 256
    ? Buffer.from([(type << 5) | 24, length])
    : Buffer.from([(type << 5) | 25, length >> 8, length & 255])
}

export interface AuthenticatorChanges {
  origin?: string
  rpId?: string
  counter?: number
  /** Whether the person was recognised. */
  verified?: boolean
  userHandle?: string
  challenge?: string
  /** Members of the client data beside these, and in their place. */
  clientData?: object
}

/** An authenticator in software: what a browser and its device answer (WebAuthn §6). */
export class Authenticator {
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  readonly id = base64url(randomBytes(32))
  counter = 0
  #userHandle = ''

  constructor(
    readonly origin: string,
    readonly rpId: string
  ) {}

  /** The answer to `navigator.credentials.create()`. */
  create(options: any, changes: AuthenticatorChanges = {}) {
    this.#userHandle = options.user.id
    const { x, y } = this.#keys.publicKey.export({ format: 'jwk' })
    const key = new Map<number, any>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x!, 'base64url')],
      [-3, Buffer.from(y!, 'base64url')],
    ])
    const id = Buffer.from(this.id, 'base64url')
    const credential = [Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)]
    const authData = Buffer.concat([this.#authData(changes, 0x40), ...credential])
    const attestation = new Map<string, any>([
      ['fmt', 'none'],
      ['attStmt', new Map()],
      ['authData', authData],
    ])
    return {
      ...this.#credential,
      response: {
        clientDataJSON: base64url(this.#clientData('webauthn.create', options, changes)),
        attestationObject: base64url(cbor(attestation)),
        transports: ['internal'],
      },
    }
  }

  /** The answer to `navigator.credentials.get()`. */
  get(options: any, changes: AuthenticatorChanges = {}) {
    const authData = this.#authData(changes, 0)
    const clientData = this.#clientData('webauthn.get', options, changes)
    const signed = Buffer.concat([authData, sha256(clientData)])
    return {
      ...this.#credential,
      response: {
        clientDataJSON: base64url(clientData),
        authenticatorData: base64url(authData),
        signature: base64url(sign('sha256', signed, this.#keys.privateKey)),
        userHandle: changes.userHandle ?? this.#userHandle,
      },
    }
  }

  get #credential() {
    return { id: this.id, rawId: this.id, type: 'public-key', clientExtensionResults: {} }
  }

  #authData({ rpId, counter, verified = true }: AuthenticatorChanges, flags: number) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter ?? this.counter)
    const present = 0x01 | (verified ? 0x04 : 0)
    return Buffer.concat([sha256(rpId ?? this.rpId), Buffer.from([present | flags]), count])
  }

  #clientData(type: string, options: any, { origin, challenge, clientData }: AuthenticatorChanges) {
    return Buffer.from(
      JSON.stringify({
        type,
        challenge: challenge ?? options.challenge,
        origin: origin ?? this.origin,
        crossOrigin: false,
        ...clientData,
      })
    )
  }
}
