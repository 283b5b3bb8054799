import { RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import type { CurrentLogin } from '#auth/features'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { type AuthorizationRequest, PROMPTS } from '#oauth2/authorize/authorization_request'
import { toSeconds } from '#database/expiry'
import { claimNames } from '#oauth2/openid/claims'
import { OPENID } from '#oauth2/settings'
import { type Authentication, CONTEXTS, IdTokens } from '#oauth2/openid/id_tokens'
import { BackChannel } from '#oauth2/openid/logout/back_channel'
import { Subjects } from '#oauth2/openid/subjects'
import type { PreparedTokens } from '#oauth2/tokens/token_issuer'

/** Claims of ID tokens that are not about the user. */
const TOKEN_CLAIMS = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash', 'sid'],
]

/** OpenID Connect Core 1.0 over the authorization code grant: its parts, made once. */
export class OpenId {
  readonly subjects: Subjects
  readonly idTokens: IdTokens
  readonly backChannel: BackChannel

  constructor(protected server: AuthorizationServer) {
    const { config, manager, repository } = server
    this.subjects = new Subjects({
      manager,
      clients: repository,
      config: { ...config.openid, uniqueSubjects: config.uniqueSubjects },
    })
    this.idTokens = new IdTokens(server)
    this.backChannel = new BackChannel(server)
  }

  /** Called once keys are known. @throws {RuntimeException} unless clients can verify signatures */
  assertCanSign(): void {
    if (!this.server.keys.isAsymmetric) {
      throw new RuntimeException(
        'OAuth2Config: OpenID Connect needs asymmetric keys, which clients verify ID tokens with. Set OAUTH_KEYS_STORE=database and make one with "node ace auth:key make", or turn OpenID Connect off'
      )
    }
  }

  /** Discovery 1.0 §3, RP-Initiated Logout 1.0 §2.1, Back-Channel Logout 1.0 §2.1; once keys are ready. */
  metadata() {
    const { keys, config } = this.server
    const { issuer, openid } = config
    return {
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      end_session_endpoint: `${issuer}/oauth/logout`,
      subject_types_supported: openid.pairwiseSalt === null ? ['public'] : ['public', 'pairwise'],
      id_token_signing_alg_values_supported: [keys.signingAlgorithm],
      acr_values_supported: CONTEXTS,
      claim_types_supported: ['normal'],
      claims_supported: [...TOKEN_CLAIMS, ...claimNames(openid.claims)],
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
  authenticationIn(
    ctx: HttpContext,
    scopes: readonly string[],
    nonce: string | null = null
  ): Authentication | null {
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
      const subject = await this.subjects.of(user, client.id)
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
    const sub = await this.subjects.of({ userId, provider }, clientId)
    const more = await this.#contextClaims(access.grantId)
    return this.idTokens.issue({ sub, clientId, accessToken, more }, authentication)
  }

  /** What the application wants clients to know of the context of a grant. */
  async #contextClaims(grantId: string | null): Promise<Record<string, unknown>> {
    const contexts = this.server.manager.feature('credentialContexts')
    const grant = contexts && grantId ? await this.server.tokens.grants.find(grantId) : null
    return grant?.context ? contexts!.claims(grant.context) : {}
  }
}
