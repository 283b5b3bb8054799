import type { HttpContext } from '@adonisjs/core/http'
import { hash } from 'node:crypto'
import { errors } from 'jose'

import type { CurrentLogin } from '#auth/features'
import { ServerPart } from '#oauth2/server_part'
import { type AuthorizationRequest, PROMPTS } from '#oauth2/authorize/authorization_request'
import { assertRuntime } from '#config/checks'
import { toSeconds } from '#database/records'
import { TOKEN_CLAIMS } from '#oauth2/openid/claims'
import { OPENID } from '#oauth2/settings'
import { BackChannel } from '#oauth2/openid/logout/back_channel'
import { assertRequest } from '#oauth2/parameters'
import { readHeader } from '#oauth2/keys/signing_key'
import type { PreparedTokens } from '#oauth2/tokens/token_issuer'
import { InvalidRequest } from '#auth/errors'
import { nullFor } from '#process/null_for'

/** Lifetime of an ID token in seconds. */
const LIFETIME = 300

/** So that no other JWT of this server passes for an ID token. */
const TYP = 'jwt'

const NO_HINT = 'The id_token_hint is no ID token of this server.'

/** A hint of a key that is unknown by now: nobody can tell whether it was issued here. */
export class UnverifiableHint extends InvalidRequest {}

/** What an ID token tells that comes back as a hint. */
export type Hint = { sub: string; aud: string; sid?: string }

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

/** OpenID Connect Core 1.0 over the authorization code grant: its parts, made once. */
export class OpenId extends ServerPart {
  readonly backChannel = new BackChannel(this.server)

  /** Called once keys are known. @throws {RuntimeException} unless clients can verify signatures */
  assertCanSign(): void {
    const unverifiable =
      'OAuth2Config: OpenID Connect needs asymmetric keys, which clients verify ID tokens with. Set OAUTH_KEYS_STORE=database and make one with "node ace auth:key make", or turn OpenID Connect off'
    assertRuntime(this.server.keys.isAsymmetric, unverifiable)
  }

  /** Discovery 1.0 §3, RP-Initiated Logout 1.0 §2.1, Back-Channel Logout 1.0 §2.1; once keys are ready. */
  metadata() {
    const { keys, config } = this.server
    const { issuer, openid } = config
    const claims = Object.values(openid.claims).flatMap((sources) => Object.keys(sources))
    return {
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      end_session_endpoint: `${issuer}/oauth/logout`,
      subject_types_supported: openid.pairwiseSalt === null ? ['public'] : ['public', 'pairwise'],
      id_token_signing_alg_values_supported: keys.algorithms,
      acr_values_supported: CONTEXTS,
      claim_types_supported: ['normal'],
      claims_supported: [...TOKEN_CLAIMS, ...new Set(claims)],
      claims_parameter_supported: false,
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      prompt_values_supported: PROMPTS,
      display_values_supported: ['page'],
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    }
  }

  /** The sign-in of the person who makes a request; null without a session. */
  loginOf(ctx: HttpContext): CurrentLogin | null {
    return this.server.manager.feature('sessions')?.currentLogin(ctx) ?? null
  }

  /** What ID tokens will say of the sign-in; null when none are asked for. `sid` is the caller's. */
  authenticationIn(ctx: HttpContext, scopes: readonly string[], nonce: string | null = null) {
    if (!scopes.includes(OPENID)) {
      return null
    }
    const login = this.loginOf(ctx)
    const authTime = login && toSeconds(login.at)
    return { nonce, authTime, methods: login?.methods ?? [], sid: null }
  }

  /** The same for a request of a browser, whose session it is: the client hears of its end, if it wants to. */
  async authenticate(
    { ctx, client, user, parameters }: AuthorizationRequest,
    scopes: readonly string[]
  ): Promise<Authentication | null> {
    const authentication = this.authenticationIn(ctx, scopes, parameters.get('nonce'))
    const login = authentication && this.loginOf(ctx)
    if (!login) {
      return authentication
    }
    const { sid, expiresAt } = login
    if (client.openid?.backchannelLogoutUri) {
      const subject = await this.server.subjectOf(user, client.id)
      const session = { sid, clientId: client.id, subject, expiresAt, attempts: 0, dueAt: null }
      await this.server.clientSessions.remember({ ...user, ...session })
    }
    return { ...authentication, sid }
  }

  /** The ID token that goes with tokens; null when they are not for the scope `openid`. */
  async idTokenFor(
    { records: { access }, accessToken }: PreparedTokens,
    authentication: Authentication | null
  ): Promise<string | null> {
    const { userId, provider, clientId, scopes } = access
    if (!authentication || !scopes.includes(OPENID) || !userId || !provider || !clientId) {
      return null
    }
    const { config, keys, manager, subjectOf, tokens } = this.server
    await keys.ready()
    const iat = toSeconds(Date.now())
    const { nonce, authTime, methods, sid } = authentication
    const acr = contextOf(methods)
    /* What the application wants clients to know of the context of a grant. */
    const contexts = manager.feature('credentialContexts')
    const grant = contexts && access.grantId ? await tokens.grants.find(access.grantId) : null
    const ofContext = grant?.context && (await contexts!.claims(grant.context))
    const claims = {
      /* They replace none of the others. */
      ...ofContext,
      iss: config.issuer!,
      sub: await subjectOf({ userId, provider }, clientId),
      aud: clientId,
      exp: iat + LIFETIME,
      iat,
      ...(authTime !== null && { auth_time: authTime }),
      ...(nonce !== null && { nonce }),
      ...(acr !== null && { acr }),
      ...(methods.length && { amr: methods }),
      at_hash: leftHalf(accessToken, keys.signingAlgorithm),
      ...(sid !== null && { sid }),
    }
    return keys.sign(claims, { typ: 'JWT' })
  }

  /**
   * The claims of an ID token of this server, which may have expired (Core §3.1.2.1).
   * @param clientId the client that it must have been issued to; null for any
   * @throws {UnverifiableHint} when its key has been taken out since
   * @throws {InvalidRequest} for anything else
   */
  async readHint(token: string, clientId: string | null): Promise<Hint> {
    const verifying = this.server.keys.verify(token, { typ: TYP }).catch((error) => {
      const isOld = error instanceof errors.JWKSNoMatchingKey && 'kid' in readHeader(token)
      throw isOld ? new UnverifiableHint(NO_HINT) : error
    })
    const { claims } = (await verifying.catch(nullFor(errors.JOSEError))) ?? {}
    const isOurs = claims?.iss === this.server.config.issuer && typeof claims.sub === 'string'
    assertRequest(isOurs && typeof claims.aud === 'string', NO_HINT)
    const isTheirs = clientId === null || claims.aud === clientId
    assertRequest(isTheirs, 'The id_token_hint was issued to another client.')
    return claims as unknown as Hint
  }
}

/** The hash that the signature's algorithm is made with; that of Ed25519 is SHA-512 (RFC 8032 §5.1). */
function leftHalf(text: string, algorithm: string): string {
  const [, bits = '512'] = /^[A-Z]{2}(\d{3})$/.exec(algorithm) ?? []
  const digest = hash(`sha${bits}`, text, 'buffer')
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
