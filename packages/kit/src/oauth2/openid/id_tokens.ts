import { hash } from 'node:crypto'

import { errors } from 'jose'

import { InvalidRequest } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { toSeconds } from '#database/expiry'
import { nullFor } from '#process/null_for'

/** Lifetime of an ID token in seconds. */
const LIFETIME = 300

/** So that no other JWT of this server passes for an ID token. */
const TYP = 'jwt'

/** What an ID token tells that comes back as a hint. */
export interface Hint {
  sub: string
  aud: string
  sid?: string
}

/** What ID tokens say of a sign-in (OpenID Connect Core 1.0 §2); codes and refresh tokens too. */
export interface Authentication {
  /** As the client sent it; null when it sent none. */
  nonce: string | null
  /** Epoch seconds; null when the approval was made without a session. */
  authTime: number | null
  /** Authentication methods (RFC 8176); empty when they are not known. */
  methods: readonly string[]
  /** The session that it was made in; null without one. */
  sid: string | null
}

/** Strengths of a sign-in, the strongest first. */
export const CONTEXTS = ['phr', 'mfa', 'pwd'] as const

/**
 * `phr` when no site can stand between the person and this one (a passkey; EAP ACR Values 1.0 §2),
 * `mfa` for two factors, `pwd` for a password alone; null when it is not known.
 */
export function contextOf(methods: readonly string[]): (typeof CONTEXTS)[number] | null {
  const known = CONTEXTS.find((context) => methods.includes(context)) ?? null
  return methods.includes('pop') ? 'phr' : known
}

/** Makes ID tokens, and reads those that come back as hints. */
export class IdTokens {
  constructor(protected server: AuthorizationServer) {}

  /** @param to.more claims of the application, which replace none of these */
  async issue(
    to: { sub: string; clientId: string; accessToken: string; more?: Record<string, unknown> },
    { nonce, authTime, methods, sid }: Authentication
  ): Promise<string> {
    const { config, keys } = this.server
    await keys.ready()
    const iat = toSeconds(Date.now())
    const acr = contextOf(methods)
    const claims = {
      ...to.more,
      iss: config.issuer!,
      sub: to.sub,
      aud: to.clientId,
      exp: iat + LIFETIME,
      iat,
      ...(authTime !== null && { auth_time: authTime }),
      ...(nonce !== null && { nonce }),
      ...(acr !== null && { acr }),
      ...(methods.length && { amr: methods }),
      at_hash: leftHalf(to.accessToken, keys.signingAlgorithm),
      ...(sid !== null && { sid }),
    }
    return keys.sign(claims, { typ: 'JWT' })
  }

  /**
   * The claims of an ID token of this server, which may have expired (Core §3.1.2.1).
   *
   * @param clientId the client that it must have been issued to; null for any
   * @throws {InvalidRequest} for anything else
   */
  async readHint(token: string, clientId: string | null): Promise<Hint> {
    const verifying = this.server.keys.verify(token, { typ: TYP })
    const { claims } = (await verifying.catch(nullFor(errors.JOSEError))) ?? {}
    const isOurs = claims?.iss === this.server.config.issuer && typeof claims.sub === 'string'
    if (!isOurs || typeof claims.aud !== 'string') {
      throw new InvalidRequest('The id_token_hint is no ID token of this server.')
    }
    if (clientId !== null && claims.aud !== clientId) {
      throw new InvalidRequest('The id_token_hint was issued to another client.')
    }
    return claims as unknown as Hint
  }
}

/** The hash that the signature's algorithm is made with; that of Ed25519 is SHA-512 (RFC 8032 §5.1). */
function leftHalf(text: string, algorithm: string): string {
  const [, bits = '512'] = /^[A-Z]{2}(\d{3})$/.exec(algorithm) ?? []
  const digest = hash(`sha${bits}`, text, 'buffer')
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
