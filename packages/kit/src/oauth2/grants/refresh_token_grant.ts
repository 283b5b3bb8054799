import * as crypto from 'node:crypto'

import { InvalidGrant } from '#auth/errors'
import { isExpired } from '#database/records'
import { hashSecret } from '#security/secrets'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import { type ClientRequest, isAnonymous } from '#oauth2/clients/client_authentication'
import type { Binding } from '#oauth2/dpop/dpop'
import { type Grant, assertMayUse } from '#oauth2/grants/grant'
import { type AssertGrant, grantAssertion } from '#oauth2/parameters'
import { assertOr } from '#process/assert_or'
import { ScopeCatalogue, splitScopes } from '#oauth2/scopes'
import { type TokenResponse, approvedAccess } from '#oauth2/tokens/token_issuer'
import { type RefreshTokenRecord, familyOf } from '#oauth2/tokens/token_store'

const assertToken: AssertGrant = grantAssertion('The refresh_token is invalid, expired or revoked.')

/** What is sealed: the response, when its access token expires (epoch milliseconds), and the key that was proved. */
type Successor = { response: TokenResponse; expiresAt: number; jkt: string | null }

/** A refresh token that was presented and passed every check but those of its rotation. */
interface Presentation {
  presented: string
  token: RefreshTokenRecord
  client: Client | null
  scopes: string[]
  binding: Binding | null
}

/**
 * A refresh token becomes a new pair and is spent (RFC 6749 §6; RFC 9700 §4.14.2). Only a rotated token that
 * is presented again changes anything: that is treated as theft, unless a replay window is open. In it,
 * for some seconds, the client that rotated a token gets the same successor again, because the answer was
 * lost or two requests refreshed at once. There is never a second successor, and once the first has been
 * used, the old token counts as stolen.
 */
export class RefreshTokenGrant extends ServerPart implements Grant {
  readonly identifier = 'refresh_token'

  async handle(request: ClientRequest) {
    const { issuance, tokens } = this.server
    const presentation = await this.#validate(request)
    const { token, scopes, binding } = presentation
    if (token.rotatedAt !== null) {
      return this.#again(presentation)
    }
    const isProven = token.dpopJkt === null || token.dpopJkt === binding?.jkt
    assertToken(isProven, 'refresh token bound to another key')

    const granted = { ...approvedAccess(token), scopes, binding }
    const family = { familyId: familyOf(token) }
    const answer = await issuance.redeem(this.identifier, granted, family, (issued, response) => {
      const now = Date.now()
      const { expiresAt } = issued.access
      const successor = { response, expiresAt, jkt: binding?.jkt ?? null }
      const replay = this.#keep(presentation, successor, now)
      return tokens.rotate(token, issued, now, replay)
    })
    return answer ?? this.#lostTheRace(presentation)
  }

  async #validate(request: ClientRequest): Promise<Presentation> {
    const { config, dpop, owners, tokens } = this.server
    const presented = request.parameters.require('refresh_token')
    const found = await tokens.findRefreshToken(hashSecret(presented), owners.likely)
    assertToken(found !== null, 'refresh token unknown')
    const token = found.record
    const client = await this.#authenticate(request, token)

    /* Two parties know the token, one is a thief (RFC 9700 §4.14.2), unless its client missed the answer. */
    if (token.rotatedAt !== null && !isOpen(token, client, Date.now())) {
      return this.#revokeFamily(token, 'refresh token already rotated')
    }
    /* Tokens without a client come from the password grant, and live while it is enabled. */
    assertToken(token.clientId === (client?.id ?? null), 'refresh token of another client')
    const isUsable = client !== null || config.grantTypes.includes('password')
    assertToken(isUsable, 'refresh token without a client, and the password grant is off')
    assertToken(token.revokedAt === null, 'family revoked')
    assertToken(!isExpired(token.expiresAt), 'refresh token expired')
    const owner = await owners.find(token, client, found.user)
    assertToken(owner, 'owner of the refresh token gone or inactive')
    const { resource } = token
    const served = config.served.resolve(request.parameters.get('resource') ?? resource)
    assertOr(served === resource, InvalidGrant, 'The resource is not that of the refresh_token.')
    const scopes = this.#narrow(token, request.parameters.get('scope') ?? '')
    const binding = await dpop.bind(request, client)
    return { presented, token, client, scopes, binding }
  }

  async #authenticate(request: ClientRequest, token: RefreshTokenRecord): Promise<Client | null> {
    const { config, authentication } = this.server
    const credentials = authentication.read(request)
    const needsNone = token.clientId === null && isAnonymous(credentials)
    const client = needsNone ? null : await authentication.identify(request, credentials)
    assertMayUse(config, client, this.identifier)
    return client
  }

  /** The same pair again, for a token that passed every other check, and for the same key. */
  async #again({ presented, token, scopes, binding }: Presentation): Promise<TokenResponse> {
    const kept = token.replay && unseal<Successor>(token.replay.sealed, presented, token.id)
    const isSameKey = kept?.jkt === (binding?.jkt ?? null)
    if (!kept || !isSameKey || !(await this.#isUnused(kept.response))) {
      return this.#revokeFamily(token, 'refresh token already rotated, and its successor used')
    }
    const isNarrower = splitScopes(kept.response.scope).every((scope) => scopes.includes(scope))
    assertToken(isNarrower, 'refresh token already rotated, for more scopes')
    const expiresIn = Math.max(0, Math.floor((kept.expiresAt - Date.now()) / 1000))
    return { ...kept.response, expires_in: expiresIn }
  }

  /** Whether the refresh token of a response has been neither used nor revoked. */
  async #isUnused({ refresh_token: token }: TokenResponse): Promise<boolean> {
    const found = await this.server.tokens.findRefreshToken(hashSecret(token!))
    return found?.record.rotatedAt === null && found.record.revokedAt === null
  }

  /** What a rotation stores of its response; null without a replay window. */
  #keep({ presented, token, client }: Presentation, successor: Successor, now: number) {
    const { sourceClientGracePeriod, refreshTokenGracePeriod } = this.server.config
    const isForeign = client !== null && client.source !== null
    const period = isForeign ? sourceClientGracePeriod : refreshTokenGracePeriod
    const seconds = client?.refreshGracePeriod ?? period
    return seconds > 0
      ? { sealed: seal(successor, presented, token.id), until: now + seconds * 1000 }
      : null
  }

  /** Another request rotated or revoked the token while this one was being validated. */
  async #lostTheRace(presentation: Presentation): Promise<TokenResponse> {
    const { presented, token, client } = presentation
    const found = await this.server.tokens.findRefreshToken(hashSecret(presented))
    return found && isOpen(found.record, client, Date.now())
      ? this.#again({ ...presentation, token: found.record })
      : this.#revokeFamily(token, 'refresh token rotated or revoked by another request')
  }

  /** A refresh may narrow the scopes permanently, and never widens them. */
  #narrow(token: RefreshTokenRecord, scope: string): string[] {
    const isOwn = (name: string) => token.scopes.includes(name)
    const requested = ScopeCatalogue.drop(splitScopes(scope), isOwn)
    const wider = requested.filter((name) => !isOwn(name))
    this.server.catalogue.assertKnown(wider)
    assertOr(!wider.length, InvalidGrant, 'The scope is wider than that of the refresh_token.')
    return requested.length ? requested : token.scopes
  }

  async #revokeFamily(token: RefreshTokenRecord, reason: string): Promise<never> {
    await this.server.tokens.revokeFamily(familyOf(token), Date.now())
    const { clientId, userId } = token
    this.server.announce('oauth2:reuse_detected', { kind: this.identifier, clientId, userId })
    assertToken(false, reason)
  }
}

/** Whether a rotated token is inside the replay window of the client that presents it. */
function isOpen(token: RefreshTokenRecord, client: Client | null, now: number): boolean {
  const isOwn = token.revokedAt === null && token.clientId === (client?.id ?? null)
  return isOwn && now < (token.replay?.until ?? 0)
}

const CIPHER = 'aes-256-gcm'
const IV_LENGTH = 12
const TAG_LENGTH = 16
const TEXT_AT = IV_LENGTH + TAG_LENGTH
const INFO = 'successor of a refresh token'

/**
 * Encrypts what a refresh token was rotated for, with a key of the token, whose row has only its hash.
 * @param rowId the row that the text belongs to: it opens in no other
 */
export function seal(value: unknown, refreshToken: string, rowId: string): string {
  const iv = crypto.randomBytes(IV_LENGTH)
  const cipher = crypto.createCipheriv(CIPHER, keyOf(refreshToken), iv).setAAD(Buffer.from(rowId))
  const text = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
  return Buffer.concat([iv, cipher.getAuthTag(), ...text]).toString('base64url')
}

/** The sealed data; null for another token or an altered text. */
export function unseal<Value>(sealed: string, refreshToken: string, rowId: string): Value | null {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const [iv, tag] = [bytes.subarray(0, IV_LENGTH), bytes.subarray(IV_LENGTH, TEXT_AT)]
    const options = { authTagLength: TAG_LENGTH }
    const decipher = crypto.createDecipheriv(CIPHER, keyOf(refreshToken), iv, options)
    decipher.setAAD(Buffer.from(rowId)).setAuthTag(tag)
    const text = [decipher.update(bytes.subarray(TEXT_AT)), decipher.final()]
    return JSON.parse(Buffer.concat(text).toString())
  } catch {
    return null
  }
}

/** A refresh token is 256 random bits, so that no slow derivation is needed (RFC 5869 §3.3). */
function keyOf(refreshToken: string): crypto.KeyObject {
  /* Ciphers of Node.js take three times as long with a key that is bytes. */
  return crypto.createSecretKey(Buffer.from(crypto.hkdfSync('sha256', refreshToken, '', INFO, 32)))
}
