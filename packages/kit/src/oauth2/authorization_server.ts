import type { HttpRequest } from '@adonisjs/core/http'

import type { AuthManager } from '#auth/manager'
import { Authorization } from '#oauth2/authorize/authorization'
import { CodeIssuer } from '#oauth2/authorize/code_issuer'
import { Consent } from '#oauth2/authorize/consent'
import { RememberedConsent } from '#oauth2/authorize/remembered_consent'
import { ClientAssertions } from '#oauth2/clients/assertions/client_assertions'
import { ClientKeys } from '#oauth2/clients/assertions/client_keys'
import { ClientAuthentication } from '#oauth2/clients/client_authentication'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { Clients } from '#oauth2/clients/clients'
import { ClientDocuments } from '#oauth2/clients/documents/client_documents'
import type { DocumentFetcher } from '#oauth2/clients/documents/document_fetcher'
import { Registration } from '#oauth2/clients/registration'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { DeviceAuthorizations } from '#oauth2/device/device_authorizations'
import { DeviceCodeGrant } from '#oauth2/device/device_code_grant'
import { Dpop } from '#oauth2/dpop/dpop'
import type { Announce } from '#oauth2/events'
import { AuthorizationCodeGrant } from '#oauth2/grants/authorization_code_grant'
import { ClientCredentialsGrant } from '#oauth2/grants/client_credentials_grant'
import type { GrantServices } from '#oauth2/grants/grant'
import { Grants, createGrant } from '#oauth2/grants/grants'
import { JwtBearerGrant } from '#oauth2/grants/jwt_bearer_grant'
import { PasswordGrant } from '#oauth2/grants/password_grant'
import { RefreshTokenGrant } from '#oauth2/grants/refresh_token_grant'
import { Issuer } from '#oauth2/issuer'
import { ExpiredKeys } from '#oauth2/keys/expired_keys'
import type { KeySet } from '#oauth2/keys/key_set'
import { createMetadata } from '#oauth2/metadata'
import type { ClientSessionStore } from '#oauth2/openid/logout/client_session_store'
import { OpenId } from '#oauth2/openid/openid'
import { PushedRequests } from '#oauth2/par/pushed_requests'
import { PendingAuthorizations } from '#oauth2/pending/pending_authorizations'
import { TokenOwners } from '#oauth2/token_owners'
import { ScopeCatalogue } from '#oauth2/scopes'
import { AccessTokens } from '#oauth2/tokens/access_tokens'
import { Introspection } from '#oauth2/tokens/introspection'
import { PersonalAccessTokens } from '#oauth2/tokens/personal_access_tokens'
import { Revocation } from '#oauth2/tokens/revocation'
import { Issuance } from '#oauth2/tokens/issuance'
import { SignedIntrospection } from '#oauth2/tokens/signed_introspection'
import { type SubjectOf, plainSubject, uniqueSubject } from '#oauth2/tokens/subject'
import { TokenIssuer } from '#oauth2/tokens/token_issuer'
import type { TokenStore } from '#oauth2/tokens/token_store'
import { UserTokens } from '#oauth2/tokens/user_tokens'
import { ForeignSubjects } from '#oauth2/trusted_issuers/foreign_subjects'
import { IdentityAssertions } from '#oauth2/trusted_issuers/identity_assertions'
import { createIssuerKeys } from '#oauth2/trusted_issuers/issuer_keys'
import { ChosenContexts } from '#oauth2/user_grants/chosen_context'
import { ConnectedApps } from '#oauth2/user_grants/connected_apps'
import { UsedGrants } from '#oauth2/user_grants/used_grants'
import type { ErrorLog } from '#process/background'
import { BoundedMap } from '#process/bounded_map'

/** The grants of RFC 6749, and that of RFC 8628. */
const GRANTS = [
  AuthorizationCodeGrant,
  ClientCredentialsGrant,
  RefreshTokenGrant,
  PasswordGrant,
  DeviceCodeGrant,
]

/** Metadata documents that are kept: there is one, unless the address of each request makes another. */
const METADATA_LIMIT = 10

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
  /** Tokens that are bound to a key of their client. */
  readonly dpop: Dpop
  /** Authorization requests that clients have pushed. */
  readonly pushed: PushedRequests
  /** Devices that wait for a person's decision, for a page of your own. */
  readonly devices: DeviceAuthorizations
  readonly introspection: Introspection
  readonly revocation: Revocation
  readonly userTokens: UserTokens
  readonly connectedApps: ConnectedApps
  readonly usedGrants: UsedGrants
  readonly personalAccessTokens: PersonalAccessTokens
  readonly signedIntrospection: SignedIntrospection
  /** null while OpenID Connect is off. */
  readonly openid: OpenId | null
  readonly #metadata = new BoundedMap<string, string>(METADATA_LIMIT)

  constructor(parts: {
    config: ResolvedOAuth2Config
    manager: AuthManager
    keys: KeySet
    tokens: TokenStore
    /** Where it is kept which clients hear of the end of which sessions; unused while OpenID Connect is off. */
    clientSessions: ClientSessionStore
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
    const openid = config.openid.enabled
      ? new OpenId({ ...parts, sessions: parts.clientSessions })
      : null
    const subjectOf: SubjectOf = openid
      ? (user, clientId) => openid.subjects.of(user, clientId)
      : config.uniqueSubjects
        ? uniqueSubject
        : plainSubject
    const accessTokens = new AccessTokens(keys, config.issuer, subjectOf, config.defaultAudience)
    const owners = new TokenOwners(manager, guard)
    const rules = {
      allowsKeys: config.clientAssertions,
      allowsPushed: config.pushedRequests.enabled,
      openid: config.openid,
    }
    const clients = new Clients(parts.clients, {
      catalogue,
      grantTypes: () => this.grants.identifiers,
      hasUsers: (provider) => manager.hasUsers(provider),
      documents: new ClientDocuments({
        config: config.clientDocuments,
        rules,
        repository: parts.clients,
        fetcher: parts.fetcher,
        throttle: () => manager.feature('throttle'),
        announce,
      }),
      tokens,
      openid: config.openid,
      announce,
    })
    const assertions = new ClientAssertions({
      keys: new ClientKeys({
        fetcher: parts.fetcher,
        throttle: () => manager.feature('throttle'),
        fetchesPerMinute: config.clientDocuments.fetchesPerMinute,
      }),
      used: tokens.used,
      issuer,
    })
    const authentication = new ClientAuthentication(
      clients,
      manager,
      config.clientAssertions ? assertions : null
    )
    const tokenIssuer = new TokenIssuer(accessTokens, config)
    const issuance = new Issuance({ tokenIssuer, tokens, clients, announce })

    const contexts = new ChosenContexts({
      tokens,
      contexts: () => manager.feature('credentialContexts'),
    })

    this.dpop = new Dpop({ config, tokens })
    this.services = {
      dpop: this.dpop,
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
      contexts,
      openid,
      announce,
    }

    this.config = config
    this.openid = openid
    this.tokens = tokens
    this.catalogue = catalogue
    this.issuer = issuer
    this.keys = keys
    this.expiredKeys = new ExpiredKeys({ keys, config, tokens })
    this.accessTokens = accessTokens
    this.tokenIssuer = tokenIssuer
    this.clients = clients
    this.registration = new Registration({ rules, manager, clients, catalogue })
    this.grants = new Grants(config)
    for (const source of GRANTS) {
      this.grants.register(createGrant(source, this.services))
    }
    if (config.trustedIssuers.length) {
      const identities = new IdentityAssertions({
        config,
        keys: createIssuerKeys({ ...parts, throttle: () => manager.feature('throttle') }),
      })
      const subjects = new ForeignSubjects({ manager, guard })
      this.grants.register(new JwtBearerGrant(this.services, identities, subjects))
    }
    for (const source of config.grants ?? []) {
      this.grants.register(createGrant(source, this.services))
    }
    const codes = new CodeIssuer({ config, issuer, tokens, openid, contexts })
    const remembered = new RememberedConsent({ tokens })
    const authorization = new Authorization({
      guard,
      config,
      clients,
      catalogue,
      dpop: this.dpop,
      issuer,
      codes,
      openid,
      announce,
    })
    this.authorization = authorization
    this.pushed = new PushedRequests({ ...this.services, authorization })
    this.pending = new PendingAuthorizations({
      authorization,
      pushed: this.pushed,
      catalogue,
      remembered,
      tokens,
      contexts,
      openid,
      announce,
    })
    this.consent = new Consent({ codes, remembered, openid, pending: this.pending })
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
      contexts: () => manager.feature('credentialContexts'),
      subjectOf,
    })
    this.signedIntrospection = new SignedIntrospection({ keys, issuer })
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
  }

  /** The metadata document as JSON; made once, until there are keys of another algorithm. */
  async metadata(request: HttpRequest): Promise<string> {
    await this.keys.ready()
    const issuer = this.issuer.of(request)
    const { isAsymmetric, algorithms, signingAlgorithm } = this.keys
    const name = [issuer, isAsymmetric, signingAlgorithm, ...algorithms].join(' ')
    const known = this.#metadata.get(name)
    if (known) {
      return known
    }
    const metadata = createMetadata(issuer, this.config, this.catalogue, this.keys)
    const document = JSON.stringify({ ...metadata, ...this.openid?.metadata() })
    this.#metadata.set(name, document)
    return document
  }

  /** Deletes expired tokens and codes that nothing needs any more, and returns how many. */
  async purge(): Promise<number> {
    const now = Date.now()
    /* A request that was let in before its refresh token expired has long been answered by then. */
    return this.tokens.purge(now, now - this.config.accessTokenTtl * 1000)
  }
}
