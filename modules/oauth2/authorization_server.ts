import type { HttpRequest } from '@adonisjs/core/http'

import type { AuthManager } from '#auth/manager'
import { Authorization } from '#oauth2/authorize/authorization'
import { ClientAuthentication } from '#oauth2/clients/client_authentication'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { Clients } from '#oauth2/clients/clients'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import type { Announce } from '#oauth2/events'
import { AuthorizationCodeGrant } from '#oauth2/grants/authorization_code_grant'
import { ClientCredentialsGrant } from '#oauth2/grants/client_credentials_grant'
import type { GrantServices } from '#oauth2/grants/grant'
import { Grants, createGrant } from '#oauth2/grants/grants'
import { PasswordGrant } from '#oauth2/grants/password_grant'
import { RefreshTokenGrant } from '#oauth2/grants/refresh_token_grant'
import { Issuer } from '#oauth2/issuer'
import { createMetadata } from '#oauth2/metadata'
import { TokenOwners } from '#oauth2/token_owners'
import { ScopeCatalogue } from '#oauth2/scopes'
import { AccessTokens } from '#oauth2/tokens/access_tokens'
import { Introspection } from '#oauth2/tokens/introspection'
import { PersonalAccessTokens } from '#oauth2/tokens/personal_access_tokens'
import { Revocation } from '#oauth2/tokens/revocation'
import { Issuance } from '#oauth2/tokens/issuance'
import type { SigningKey } from '#oauth2/tokens/signing_key'
import { TokenIssuer } from '#oauth2/tokens/token_issuer'
import type { TokenStore } from '#oauth2/tokens/token_store'
import { UserTokens } from '#oauth2/tokens/user_tokens'

/** The grants of RFC 6749. */
const GRANTS = [AuthorizationCodeGrant, ClientCredentialsGrant, RefreshTokenGrant, PasswordGrant]

/** The wiring of the authorization server: one of each part, made once. */
export class AuthorizationServer {
  readonly config: ResolvedOAuth2Config
  /** What grants are made of, for one of your own: `new MyGrant(server.services)`. */
  readonly services: GrantServices
  readonly tokens: TokenStore
  readonly catalogue: ScopeCatalogue
  readonly issuer: Issuer
  readonly accessTokens: AccessTokens
  readonly tokenIssuer: TokenIssuer
  readonly clients: Clients
  readonly grants: Grants
  readonly authorization: Authorization
  readonly introspection: Introspection
  readonly revocation: Revocation
  readonly userTokens: UserTokens
  readonly personalAccessTokens: PersonalAccessTokens
  readonly #metadata: string | null

  constructor(parts: {
    config: ResolvedOAuth2Config
    manager: AuthManager
    key: SigningKey
    tokens: TokenStore
    clients: ClientRepository
    announce: Announce
  }) {
    const { config, manager, tokens, announce } = parts
    const guard = config.authorizationGuard ?? manager.defaultGuard
    const catalogue = new ScopeCatalogue(config)
    const issuer = new Issuer(config.issuer)
    const accessTokens = new AccessTokens(parts.key, config.issuer)
    const owners = new TokenOwners(manager, guard)
    const clients = new Clients(parts.clients, {
      catalogue,
      grantTypes: () => this.grants.identifiers,
      hasUsers: (provider) => manager.hasUsers(provider),
      tokens,
      announce,
    })
    const authentication = new ClientAuthentication(clients, manager)
    const tokenIssuer = new TokenIssuer(accessTokens, config)
    const issuance = new Issuance({ tokenIssuer, tokens, clients, announce })

    this.services = {
      config,
      manager,
      clients,
      authentication,
      catalogue,
      accessTokens,
      tokenIssuer,
      issuance,
      owners,
      tokens,
      announce,
    }

    this.config = config
    this.tokens = tokens
    this.catalogue = catalogue
    this.issuer = issuer
    this.accessTokens = accessTokens
    this.tokenIssuer = tokenIssuer
    this.clients = clients
    this.grants = new Grants(config)
    for (const source of [...GRANTS, ...(config.grants ?? [])]) {
      this.grants.register(createGrant(source, this.services))
    }
    this.authorization = new Authorization({
      guard,
      config,
      clients,
      catalogue,
      issuer,
      tokens,
      announce,
    })
    this.introspection = new Introspection({
      config,
      authentication,
      clients,
      owners,
      tokens,
      accessTokens,
    })
    this.revocation = new Revocation({ config, authentication, tokens, accessTokens, announce })
    this.userTokens = new UserTokens({ tokens, clients, announce })
    this.personalAccessTokens = new PersonalAccessTokens({
      config,
      catalogue,
      tokens,
      accessTokens,
      announce,
    })
    this.#metadata = config.issuer === null ? null : this.#createMetadata(config.issuer)
  }

  /** The metadata document as JSON; made once when the issuer is configured. */
  metadata(request: HttpRequest): string {
    return this.#metadata ?? this.#createMetadata(this.issuer.of(request))
  }

  /** Deletes expired tokens and codes that nothing needs any more, and returns how many. */
  async purge(): Promise<number> {
    const now = Date.now()
    /* A request that was let in before its refresh token expired has long been answered by then. */
    return this.tokens.purge(now, now - this.config.accessTokenTtl * 1000)
  }

  #createMetadata(issuer: string) {
    return JSON.stringify(createMetadata(issuer, this.config, this.catalogue))
  }
}
