import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext, HttpRequest } from '@adonisjs/core/http'

import { InvalidClient } from '#auth/errors'
import { generateSecret, hashSecret } from '#security/secrets'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import { type Parameters, assertRequest, formUrlDecode } from '#oauth2/parameters'
import { ClientKeys, claimsOf, findWrong, verifyBy } from '#oauth2/clients/assertions'
import { assertOr } from '#process/assert_or'

/** How clients can authenticate at the token endpoint (RFC 8414 §2). */
export function authMethodsOf({ clientAssertions }: { clientAssertions: boolean }): string[] {
  const secrets = ['client_secret_basic', 'client_secret_post']
  return [...secrets, ...(clientAssertions ? ['private_key_jwt'] : []), 'none']
}

/** What a request says about its client; the assertion is the JWT of `private_key_jwt`. */
export type ClientCredentials = { id: string | null; secret: string | null; assertion?: string }

/** Whether a request names no client, as it may for tokens of the password grant. */
export const isAnonymous = ({ id, secret }: ClientCredentials) => id === null && secret === null

/** A request that a client makes by itself, and its form. */
export type ClientRequest = { ctx: HttpContext; parameters: Parameters }

const ASSERTION = ['client_assertion', 'client_assertion_type']
const BASIC = /^basic(?: +(.*))?$/i
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** A token of another kind that the client has signed does not pass for an assertion (RFC 8725 §3.11). */
const MEDIA_TYPE = /^(application\/)?(jwt|client-authentication\+jwt)$/i

/** Compared for unknown and public clients, so that each refusal takes the same time. Nobody knows a secret of it. */
const NO_SECRET = hashSecret(generateSecret())

/** Authenticates the client that makes a request (RFC 6749 §2.3.1). */
export class ClientAuthentication extends ServerPart {
  readonly #keys = new ClientKeys(this.server)

  /**
   * Reads the credentials, from HTTP Basic or from the form, never from both.
   * @throws {InvalidRequest} when there are two
   * @throws {InvalidClient} when Basic or the assertion is malformed, or two places name different clients
   */
  read({ ctx, parameters }: ClientRequest): ClientCredentials {
    const id = parameters.get('client_id')
    const secret = parameters.get('client_secret')
    const basic = BASIC.exec(ctx.request.header('authorization') ?? '')
    const { clientAssertions } = this.server.config
    if (clientAssertions && ASSERTION.some((name) => parameters.get(name) !== null)) {
      assertRequest(secret === null && !basic, 'The client authenticates in two ways at once.')
      return this.#readAssertion(parameters)
    }
    if (!basic) {
      return { id, secret }
    }
    const complaint = 'The client_secret is both in the form and in the Authorization header.'
    assertRequest(secret === null, complaint)
    const credentials = decodeBasic(basic[1] ?? '')
    assertClient(credentials !== null, 'The Authorization header is malformed.')
    const isSame = id === null || id === credentials.id
    assertClient(isSame, 'The client_id differs from that of the Authorization header.')
    return credentials
  }

  /** The assertion names the client, so that `client_id` may be left out (RFC 7521 §4.2). */
  #readAssertion(parameters: Parameters): ClientCredentials {
    const id = parameters.get('client_id')
    const assertion = parameters.get('client_assertion')
    const type = parameters.get('client_assertion_type')
    const subject = assertion && claimsOf(assertion).sub
    assertClient(assertion && subject, 'The client_assertion is missing or malformed.')
    assertClient(type === ASSERTION_TYPE, 'The client_assertion_type is missing or unknown.')
    const isSame = id === null || id === subject
    assertClient(isSame, 'The client_id differs from that of the client_assertion.')
    return { id: subject, secret: null, assertion }
  }

  /**
   * The client that makes the request. Failures count against it and the caller's address.
   * @throws {InvalidClient} when it cannot be authenticated, in the same words for every reason
   * @throws {Throttled} when that has happened too often
   */
  async authenticate(request: ClientRequest, credentials = this.read(request)): Promise<Client> {
    const { ctx } = request
    if (credentials.id === null) {
      return this.#refuse(null, ctx, 'client_id missing')
    }
    const client = await this.server.clients.findRegistered(credentials.id)
    const failure =
      client?.hasKeys || credentials.assertion !== undefined
        ? await this.#judgeAssertion(client, credentials, ctx)
        : judgeSecret(client, credentials)
    if (!client || failure !== null) {
      /* Invented ids share 256 counts: they are throttled as others are, and fill no store. */
      const subject = client?.id ?? `unknown ${hashSecret(credentials.id).slice(0, 2)}`
      return this.#refuse(subject, ctx, failure ?? 'client unknown')
    }
    ctx.request.actingClient = client.id
    return client
  }

  /** The same; null for a request that names no client, where it is `optional`, as for tokens of the password grant. */
  async authenticateIfNamed(request: ClientRequest, optional: boolean): Promise<Client | null> {
    const credentials = this.read(request)
    return optional && isAnonymous(credentials) ? null : this.authenticate(request, credentials)
  }

  /** The client of a request that has to name one. @throws {InvalidClient} also when it names none */
  async identify(request: ClientRequest, credentials = this.read(request)): Promise<Client> {
    assertClient(credentials.id !== null, 'The parameter client_id is missing.')
    return this.authenticate(request, credentials)
  }

  /** A client authenticates in the way that it was registered with, and in no other. */
  async #judgeAssertion(client: Client | null, { assertion }: ClientCredentials, ctx: HttpContext) {
    if (!client || client.revoked) {
      return client ? 'client revoked' : 'client unknown'
    }
    if (!client.hasKeys) {
      return 'client_assertion from a client without keys'
    }
    return this.server.config.clientAssertions && assertion !== undefined
      ? this.#judgeJwt(client, assertion, ctx)
      : 'client_assertion missing'
  }

  /** Why the JWT of `private_key_jwt` is refused (RFC 7521 §4.2, RFC 7523 §3); null when it is right, and used up. */
  async #judgeJwt(client: Client, assertion: string, ctx: HttpContext): Promise<string | null> {
    const keys = await this.#keys.of(client, assertion, ctx)
    if (keys === null) {
      return 'keys of the client not fetched'
    }
    const claims = await verifyBy(keys, assertion, MEDIA_TYPE)
    if (claims === null) {
      return 'client_assertion not signed by a key of the client'
    }
    const wrong = findWrong(claims, {
      iss: claims.iss === client.id,
      sub: claims.sub === client.id,
      aud: this.#isForThisServer(claims.aud, ctx.request),
    })
    if (wrong !== null) {
      return `claim ${wrong} of the client_assertion missing or wrong`
    }
    const value = `${client.id} ${claims.jti}`
    const until = (claims.exp as number) * 1000
    const isNew = await this.server.tokens.used.use('client_assertion', value, until)
    return isNew ? null : 'client_assertion used before'
  }

  /**
   * This server and nobody else: another audience could present the assertion here. Its
   * endpoints of tokens and of pushed requests name it as well (RFC 9126 §2).
   */
  #isForThisServer(audience: unknown, request: HttpRequest): boolean {
    const issuer = this.server.issuerOf(request)
    const own: unknown[] = [issuer, `${issuer}/oauth/token`, `${issuer}/oauth/par`]
    const named = Array.isArray(audience) ? audience : [audience]
    return named.length > 0 && named.every((name) => own.includes(name))
  }

  async #refuse(subject: string | null, ctx: HttpContext, reason: string): Promise<never> {
    const throttle = this.server.manager.feature('throttle')
    await throttle?.penalize('failedClientAuthentications', subject, ctx)
    throw new InvalidClient(undefined, { reason })
  }
}

/** Why a secret is refused; null when it is right. Every judgement compares both hashes. */
function judgeSecret(client: Client | null, { secret }: ClientCredentials): string | null {
  const presented = hashSecret(secret ?? '')
  const [current = NO_SECRET, previous = NO_SECRET] = client?.secretHashesAt(Date.now()) ?? []
  const matchesPrevious = safeEqual(presented, previous)
  const matches = safeEqual(presented, current) || matchesPrevious
  if (!client || client.revoked) {
    return client ? 'client revoked' : 'client unknown'
  }
  if (!client.confidential) {
    return secret === null ? null : 'client_secret from a public client'
  }
  if (secret === null) {
    return 'client_secret missing'
  }
  return matches ? null : 'client_secret wrong'
}

/** `id:secret` in base64, each form-urlencoded before (RFC 6749 §2.3.1); null when malformed. */
function decodeBasic(encoded: string): { id: string; secret: string | null } | null {
  const text = BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString() : ''
  const found = /^([^:]+):(.*)$/s.exec(text)?.slice(1).map(formUrlDecode)
  const [id = null, secret = null] = found ?? []
  return id === null || secret === null ? null : { id, secret: secret || null }
}

function assertClient(isRight: unknown, description: string): asserts isRight {
  assertOr(isRight, InvalidClient, description)
}
