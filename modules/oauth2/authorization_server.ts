import type { HttpRequest } from '@adonisjs/core/http'

import type { AuthManager } from '#auth/manager'
import { Authorization } from '#oauth2/authorize/authorization'
import { CodeIssuer } from '#oauth2/authorize/code_issuer'
import { Consent } from '#oauth2/authorize/consent'
import { RememberedConsent } from '#oauth2/authorize/remembered_consent'
import { ClientAuthentication } from '#oauth2/clients/client_authentication'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { Clients } from '#oauth2/clients/clients'
import { ClientDocuments } from '#oauth2/clients/documents/client_documents'
import type { DocumentFetcher } from '#oauth2/clients/documents/document_fetcher'
import { Registration } from '#oauth2/clients/registration'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { DeviceAuthorizations } from '#oauth2/device/device_authorizations'
import { DeviceCodeGrant } from '#oauth2/device/device_code_grant'
import type { Announce } from '#oauth2/events'
import { AuthorizationCodeGrant } from '#oauth2/grants/authorization_code_grant'
import { ClientCredentialsGrant } from '#oauth2/grants/client_credentials_grant'
import type { GrantServices } from '#oauth2/grants/grant'
import { Grants, createGrant } from '#oauth2/grants/grants'
import { PasswordGrant } from '#oauth2/grants/password_grant'
import { RefreshTokenGrant } from '#oauth2/grants/refresh_token_grant'
import { Issuer } from '#oauth2/issuer'
import { ExpiredKeys } from '#oauth2/keys/expired_keys'
import type { KeySet } from '#oauth2/keys/key_set'
import { createMetadata } from '#oauth2/metadata'
import { PendingAuthorizations } from '#oauth2/pending/pending_authorizations'
import { TokenOwners } from '#oauth2/token_owners'
import { ScopeCatalogue } from '#oauth2/scopes'
import { AccessTokens } from '#oauth2/tokens/access_tokens'
import { Introspection } from '#oauth2/tokens/introspection'
import { PersonalAccessTokens } from '#oauth2/tokens/personal_access_tokens'
import { Revocation } from '#oauth2/tokens/revocation'
import { Issuance } from '#oauth2/tokens/issuance'
import { TokenIssuer } from '#oauth2/tokens/token_issuer'
import type { TokenStore } from '#oauth2/tokens/token_store'
import { UserTokens } from '#oauth2/tokens/user_tokens'
import { ConnectedApps } from '#oauth2/user_grants/connected_apps'
import { UsedGrants } from '#oauth2/user_grants/used_grants'
import type { ErrorLog } from '#support/background'

/** The grants of RFC 6749, and that of RFC 8628. */
const GRANTS = [
  AuthorizationCodeGrant,
  ClientCredentialsGrant,
  RefreshTokenGrant,
  PasswordGrant,
  DeviceCodeGrant,
]

/** The wiring of the authorization server: one of each part, made once. */
export class AuthorizationServer {
  readonly config: ResolvedOAuth2Config
  /** What grants are made of, for one of your own: `new MyGrant(server.services)`. */
  readonly services: GrantServices
  readonly tokens: TokenStore
  readonly catalogue: ScopeCatalogue
  readonly issuer: Issuer
  /** Signs and verifies tokens. */
  readonly keys: KeySet
  readonly expiredKeys: ExpiredKeys
  readonly accessTokens: AccessTokens
  readonly tokenIssuer: TokenIssuer
  readonly clients: Clients
  readonly registration: Registration
  readonly grants: Grants
  readonly authorization: Authorization
  /** Requests that wait for a person's decision, for a consent page of your own. */
  readonly pending: PendingAuthorizations
  readonly consent: Consent
  /** Devices that wait for a person's decision, for a page of your own. */
  readonly devices: DeviceAuthorizations
  readonly introspection: Introspection
  readonly revocation: Revocation
  readonly userTokens: UserTokens
  readonly connectedApps: ConnectedApps
  readonly usedGrants: UsedGrants
  readonly personalAccessTokens: PersonalAccessTokens
  readonly #metadata: string | null

  constructor(parts: {
    config: ResolvedOAuth2Config
    manager: AuthManager
    keys: KeySet
    tokens: TokenStore
    clients: ClientRepository
    /** Gives the fetcher of clients' metadata documents, each time anew. */
    fetcher: () => Promise<DocumentFetcher>
    announce: Announce
    logger: ErrorLog
  }) {
    const { config, manager, keys, tokens, announce } = parts
    const guard = config.authorizationGuard ?? manager.defaultGuard
    const catalogue = new ScopeCatalogue(config)
    const issuer = new Issuer(config.issuer)
    const accessTokens = new AccessTokens(keys, config.issuer)
    const owners = new TokenOwners(manager, guard)
    const clients = new Clients(parts.clients, {
      catalogue,
      grantTypes: () => this.grants.identifiers,
      hasUsers: (provider) => manager.hasUsers(provider),
      documents: new ClientDocuments({
        config: config.clientDocuments,
        repository: parts.clients,
        fetcher: parts.fetcher,
        throttle: () => manager.feature('throttle'),
        announce,
      }),
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
      keys,
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
    this.keys = keys
    this.expiredKeys = new ExpiredKeys({ keys, config, tokens })
    this.accessTokens = accessTokens
    this.tokenIssuer = tokenIssuer
    this.clients = clients
    this.registration = new Registration({ manager, clients, catalogue })
    this.grants = new Grants(config)
    for (const source of [...GRANTS, ...(config.grants ?? [])]) {
      this.grants.register(createGrant(source, this.services))
    }
    const codes = new CodeIssuer({ config, issuer, tokens })
    const remembered = new RememberedConsent({ tokens })
    const authorization = new Authorization({
      guard,
      config,
      clients,
      catalogue,
      issuer,
      codes,
      announce,
    })
    this.authorization = authorization
    this.pending = new PendingAuthorizations({
      authorization,
      catalogue,
      remembered,
      tokens,
      announce,
    })
    this.consent = new Consent({ codes, remembered, pending: this.pending })
    this.devices = new DeviceAuthorizations({ ...this.services, issuer, guard })
    this.usedGrants = new UsedGrants(tokens, parts.logger)
    this.introspection = new Introspection({
      config,
      authentication,
      clients,
      owners,
      tokens,
      accessTokens,
      usedGrants: this.usedGrants,
    })
    this.revocation = new Revocation({ config, authentication, tokens, accessTokens, announce })
    this.connectedApps = new ConnectedApps({ tokens, clients, catalogue, announce })
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
