import { UnsupportedGrantType } from '#auth/errors'
import { assertArgument } from '#config/checks'
import { traced } from '#process/spans'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { DeviceCodeGrant, AuthorizationCodeGrant } from '#oauth2/grants/code_grants'
import {
  type Grant,
  type GrantSource,
  ClientCredentialsGrant,
  PasswordGrant,
} from '#oauth2/grants/grant'
import { JwtBearerGrant } from '#oauth2/grants/jwt_bearer_grant'
import { RefreshTokenGrant } from '#oauth2/grants/refresh_token_grant'
import type { TokenResponse } from '#oauth2/tokens/token_issuer'
import { assertOr } from '#process/assert_or'

const GRANTS: GrantSource[] = [
  ...[AuthorizationCodeGrant, ClientCredentialsGrant, RefreshTokenGrant],
  ...[PasswordGrant, DeviceCodeGrant],
]

/** The grants there are, and which of them the configuration enables. */
export class Grants {
  readonly #grants = new Map<string, Grant>()

  constructor(protected server: AuthorizationServer) {
    const { grants = [], trustedIssuers } = server.config
    const ofIssuers = trustedIssuers.length ? [JwtBearerGrant] : []
    for (const source of [...ofIssuers, ...GRANTS, ...grants]) {
      this.register(isClass(source) ? new source(server) : source(server))
    }
  }

  /** Adds a grant. The setting `grantTypes` decides whether it is enabled. */
  register(grant: Grant): this {
    this.#grants.set(grant.identifier, grant)
    return this
  }

  get identifiers(): string[] {
    return [...this.#grants.keys()]
  }

  /** @throws {InvalidArgumentsException} when a grant is enabled that does not exist */
  assertEnabled(): void {
    for (const grantType of this.server.config.grantTypes) {
      const unknown = `OAuth2Config: unknown grant type "${grantType}". Use ${this.identifiers.join(', ')}`
      assertArgument(this.#grants.has(grantType), unknown)
    }
  }

  /** Answers a token request (RFC 6749 §3.2). @throws {AuthError} when the tokens are not granted */
  respond(request: ClientRequest): Promise<TokenResponse> {
    return inSpan(this.#enabled(request.parameters.require('grant_type')), request)
  }

  /** The same for `POST /token`, which knows the password grant alone. */
  respondPassword(request: ClientRequest): Promise<TokenResponse> {
    const grant = this.#enabled('password')
    const isOwn = (request.parameters.get('grant_type') ?? grant.identifier) === grant.identifier
    assertOr(isOwn, UnsupportedGrantType, 'This endpoint supports the grant_type password alone.')
    return inSpan(grant, request)
  }

  /** @throws {UnsupportedGrantType} when there is no such grant, or it is not enabled */
  #enabled(grantType: string): Grant {
    const grant = this.#grants.get(grantType)
    const isOn = this.server.config.grantTypes.includes(grantType)
    const reason = `grant type ${grant ? 'not enabled' : 'unknown'}`
    assertOr(grant && isOn, UnsupportedGrantType, 'The grant_type is not supported.', { reason })
    return grant
  }
}

/** Arrow functions have no prototype, classes do. */
function isClass(source: GrantSource): source is new (server: AuthorizationServer) => Grant {
  return source.prototype !== undefined
}

const inSpan = (grant: Grant, request: ClientRequest) =>
  traced('oauth2 grant', () => grant.handle(request), {
    attributes: { 'oauth2.grant_type': grant.identifier },
  })
