import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

import { type CryptoKey, type JWTPayload, SignJWT, exportJWK, generateKeyPair } from 'jose'

import { getActiveTest } from '@japa/runner'

/** What a person of the provider is told about, and how they signed in there. */
export type Person = Record<string, unknown> & { sub: string }

/** What the provider does wrong, or otherwise than usual. */
export interface Faults {
  /** Members of its metadata. */
  metadata?: Record<string, unknown>
  /** Claims of the ID token; undefined leaves one out. */
  claims?: Record<string, unknown>
  /** Header of the ID token. */
  header?: { alg?: string; kid?: string | undefined; typ?: string }
  /** The secret of HS256. Default: the public key, which a verifier that takes any algorithm would accept. */
  hmacSecret?: string
  /** Signs with a key that it does not publish. */
  foreignKey?: boolean
  /** The text after the last dot of the ID token. */
  signature?: string
  /** What userinfo answers instead of the person. */
  userInfo?: Record<string, unknown>
  /** Everything but the metadata fails with this status. */
  status?: number
  /** A code works as often as it is sent. */
  reusesCodes?: boolean
  /** Tokens come without an ID token. */
  lacksIdToken?: boolean
  /** What is answered at this path never ends. */
  endless?: string
  /** The connection ends without an answer. */
  down?: boolean
}

interface Grant {
  person: Person
  nonce: string | null
  challenge: string
  redirectUri: string
}

interface Key {
  kid: string
  privateKey: CryptoKey
  publicKey: CryptoKey
}

const CLIENT_ID = 'the-client'
export const CLIENT_SECRET = 'the-secret-of-the-client'

/** A provider of OpenID Connect on this machine, which can be told to do wrong. It answers as GitHub does, too. */
export class FakeProvider {
  readonly clientId = CLIENT_ID
  readonly requests: { path: string; body: URLSearchParams }[] = []
  readonly grants = new Map<string, Grant>()
  faults: Faults = {}
  /** Bytes of an answer that never ends. */
  sent = 0
  /** What `GET /user/emails` answers. */
  emails: object[] = []
  /** Who signs in with a browser; null: nobody, and the browser stays where it is. */
  visitor: Person | null = null
  /** Claims that only userinfo tells. */
  onlyUserInfo: string[] = []
  #keys: Key[] = []
  #foreign!: Key
  readonly #tokens = new Map<string, Person>()
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#handle(request, response)
    })
  }

  /** Runs until the test ends. */
  static async start(): Promise<FakeProvider> {
    const provider = new FakeProvider()
    provider.#keys = [await makeKey()]
    provider.#foreign = await makeKey()
    provider.#server.listen(0, '127.0.0.1')
    await once(provider.#server, 'listening')
    getActiveTest()!.cleanup(() => provider.stop())
    return provider
  }

  async stop() {
    if (this.#server.listening) {
      this.#server.closeAllConnections()
      this.#server.close()
      await once(this.#server, 'close')
    }
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** New keys; the old ones are published no more. */
  async rotate() {
    this.#keys = [await makeKey()]
  }

  /** Another key beside those that there are. */
  async addKey() {
    this.#keys.push(await makeKey())
  }

  /** What a person's browser does with the address that it was sent to: it comes back with this one. */
  authorize(authorizationUrl: string, person: Person): URL {
    const asked = new URL(authorizationUrl).searchParams
    const code = randomBytes(16).toString('hex')
    this.grants.set(code, {
      person,
      nonce: asked.get('nonce'),
      challenge: asked.get('code_challenge')!,
      redirectUri: asked.get('redirect_uri')!,
    })
    const callback = new URL(asked.get('redirect_uri')!)
    callback.searchParams.set('code', code)
    callback.searchParams.set('state', asked.get('state')!)
    callback.searchParams.set('iss', this.issuer)
    return callback
  }

  async #handle(request: IncomingMessage, response: ServerResponse) {
    const path = new URL(request.url!, this.issuer).pathname
    const chunks: Buffer[] = []
    for await (const chunk of request) {
      chunks.push(chunk)
    }
    const body = new URLSearchParams(Buffer.concat(chunks).toString())
    this.requests.push({ path, body })
    if (this.faults.down) {
      return response.destroy()
    }
    if (this.faults.endless === path) {
      return Readable.from(this.#endless()).pipe(response)
    }
    if (this.faults.status && !path.startsWith('/.well-known')) {
      return send(response, this.faults.status, { error: 'server_error' })
    }
    const bearer = request.headers.authorization?.replace(/^Bearer /i, '') ?? ''
    const person = this.#tokens.get(bearer)
    switch (path) {
      case '/authorize':
      case '/login/oauth/authorize':
        return this.#sendBack(request.url!, response)
      case '/.well-known/openid-configuration':
        return send(response, 200, this.#metadata())
      case '/jwks':
        return send(response, 200, { keys: await Promise.all(this.#keys.map(publicJwk)) })
      case '/token':
      case '/login/oauth/access_token':
        return this.#redeem(body, response, path === '/token')
      case '/userinfo':
        return send(response, person ? 200 : 401, this.faults.userInfo ?? person ?? {})
      case '/user':
        return send(response, person ? 200 : 401, person ?? {})
      case '/user/emails':
        return send(response, person ? 200 : 401, this.emails)
      default:
        return send(response, 404, {})
    }
  }

  #sendBack(url: string, response: ServerResponse) {
    if (!this.visitor) {
      return response.writeHead(204).end()
    }
    const location = this.authorize(new URL(url, this.issuer).href, this.visitor).href
    return response.writeHead(302, { location }).end()
  }

  *#endless() {
    for (; ; this.sent += 50_000) yield ' '.repeat(50_000)
  }

  #metadata() {
    return {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
      code_challenge_methods_supported: ['S256'],
      ...this.faults.metadata,
    }
  }

  /** A code works once, with its verifier and its redirect URI. */
  async #redeem(body: URLSearchParams, response: ServerResponse, isOpenId: boolean) {
    const grant = this.grants.get(body.get('code')!)
    if (!this.faults.reusesCodes) {
      this.grants.delete(body.get('code')!)
    }
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url')
    if (!grant || grant.challenge !== challenge || grant.redirectUri !== body.get('redirect_uri')) {
      return send(response, 400, { error: 'invalid_grant' })
    }
    const token = randomBytes(16).toString('hex')
    this.#tokens.set(token, grant.person)
    return send(response, 200, {
      access_token: token,
      token_type: 'Bearer',
      expires_in: 60,
      ...(isOpenId && !this.faults.lacksIdToken && { id_token: await this.#idToken(grant) }),
    })
  }

  /** What it sends when somebody has signed out there, unless the faults say otherwise. */
  async logoutToken(claims: Record<string, unknown>): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const jti = randomBytes(8).toString('hex')
    const usual = { iss: this.issuer, aud: CLIENT_ID, iat: now, exp: now + 120, jti, events }
    return this.#sign({ ...usual, ...claims, ...this.faults.claims }, { typ: 'logout+jwt' })
  }

  async #idToken({ person, nonce }: Grant): Promise<string> {
    const { faults } = this
    const now = Math.floor(Date.now() / 1000)
    const claims: JWTPayload = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: now,
      exp: now + 300,
      nonce,
      ...person,
      ...Object.fromEntries(this.onlyUserInfo.map((name) => [name, undefined])),
      ...faults.claims,
    }
    return this.#sign(claims)
  }

  async #sign(claims: JWTPayload, more: { typ?: string } = {}): Promise<string> {
    const { faults } = this
    const key = faults.foreignKey
      ? { ...this.#foreign, kid: this.#keys[0]!.kid }
      : this.#keys.at(-1)!
    const header = { alg: 'ES256', kid: key.kid, ...more, ...faults.header }
    if (header.alg === 'none') {
      const parts = [{ ...header }, claims].map((part) =>
        Buffer.from(JSON.stringify(part)).toString('base64url')
      )
      return `${parts.join('.')}.`
    }
    if (header.alg === 'HS256') {
      const secret = faults.hmacSecret ?? JSON.stringify(await publicJwk(key))
      return new SignJWT(claims).setProtectedHeader(header).sign(new TextEncoder().encode(secret))
    }
    const token = await new SignJWT(claims).setProtectedHeader(header).sign(key.privateKey)
    return faults.signature === undefined
      ? token
      : `${token.slice(0, token.lastIndexOf('.'))}.${faults.signature}`
  }
}

async function makeKey(): Promise<Key> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  return { kid: randomBytes(4).toString('hex'), ...pair }
}

async function publicJwk({ kid, publicKey }: Key) {
  return { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' }
}

function send(response: ServerResponse, status: number, body: object) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
