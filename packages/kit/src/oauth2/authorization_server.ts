import { inject } from '@adonisjs/core'
import type { HttpRequest } from '@adonisjs/core/http'

import type { AuthManager } from '#auth/manager'
import { Authorization } from '#oauth2/authorize/authorization'
import { ClientAuthentication, authMethodsOf } from '#oauth2/clients/client_authentication'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { Clients } from '#oauth2/clients/clients'
import { ClientDocuments } from '#oauth2/clients/documents/client_documents'
import type { DocumentFetcher } from '#http/document_fetcher'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { DeviceAuthorizations } from '#oauth2/device/device_authorizations'
import { Dpop } from '#oauth2/dpop/dpop'
import type { Announce } from '#oauth2/events'
import { Grants } from '#oauth2/grants/grant_registry'
import type { KeySet } from '#oauth2/keys/key_set'
import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'
import type { ClientSessionStore } from '#oauth2/openid/logout/client_session_store'
import { OpenId } from '#oauth2/openid/openid'
import { PushedRequests } from '#oauth2/par/pushed_requests'
import { PendingAuthorizations } from '#oauth2/pending/pending_authorizations'
import { ScopeCatalogue } from '#oauth2/scopes'
import { TokenOwners } from '#oauth2/token_owners'
import { AccessTokens } from '#oauth2/tokens/access_tokens'
import { Introspection, Revocation } from '#oauth2/tokens/held_tokens'
import { Issuance, TokenIssuer } from '#oauth2/tokens/token_issuer'
import { PersonalAccessTokens, UserTokens } from '#oauth2/tokens/user_tokens'
import { type SubjectOf, subjectsOf } from '#oauth2/openid/subjects'
import type { TokenStore } from '#oauth2/tokens/token_store'
import { ID_JAG_PROFILE } from '#oauth2/trusted_issuers/config'
import { ChosenContexts } from '#oauth2/user_grants/chosen_context'
import { ConnectedApps } from '#oauth2/user_grants/connected_apps'
import { UsedGrants } from '#oauth2/user_grants/used_grants'
import type { ErrorLog } from '#process/background'

class Foundation {
  declare readonly config: ResolvedOAuth2Config
  declare readonly manager: AuthManager
  declare readonly keys: KeySet
  declare readonly tokens: TokenStore
  declare readonly repository: ClientRepository
  /** Store of the clients that are told of the end of sessions; unused while OpenID Connect is off. */
  declare readonly clientSessions: ClientSessionStore
  declare readonly fetcher: () => Promise<DocumentFetcher>
  declare readonly announce: Announce
  declare readonly logger: ErrorLog & { warn(details: object, message: string): void }

  constructor(foundation: Foundation) {
    Object.assign(this, foundation)
  }
}

/** The parts of the server, each created once. They find each other through it during a request. */
export class AuthorizationServer extends Foundation {
  /** Name of the guard that identifies the approving user. */
  readonly guard: string = this.config.authorizationGuard ?? this.manager.defaultGuard
  readonly catalogue = new ScopeCatalogue(this.config)
  readonly owners = new TokenOwners(this)

  readonly clients = new Clients(this)
  readonly documents = new ClientDocuments(this)
  readonly authentication = new ClientAuthentication(this)

  readonly openid: OpenId | null = this.config.openid.enabled ? new OpenId(this) : null
  readonly dpop = new Dpop(this)
  readonly subjectOf: SubjectOf = subjectsOf(this)
  readonly accessTokens = new AccessTokens(this)
  readonly tokenIssuer = new TokenIssuer(this)
  readonly issuance = new Issuance(this)
  readonly introspection = new Introspection(this)
  readonly revocation = new Revocation(this)
  readonly userTokens = new UserTokens(this)
  readonly personalAccessTokens = new PersonalAccessTokens(this)

  readonly contexts = new ChosenContexts(this)
  readonly connectedApps = new ConnectedApps(this)
  readonly usedGrants = new UsedGrants(this)

  readonly authorization = new Authorization(this)
  /** Requests that wait for a person's decision, for a consent page of your own. */
  readonly pending = new PendingAuthorizations(this)
  readonly pushed = new PushedRequests(this)
  /** Devices that wait for a person's decision, for a page of your own. */
  readonly devices = new DeviceAuthorizations(this)

  /** Last, because grants of the configuration may use any part at once. */
  readonly grants = new Grants(this)

  /**
   * The issuer identifier of metadata, authorization responses (RFC 9207) and tokens: one string. If
   * it is not configured, it is the base URL of the request, and tokens carry none.
   */
  issuerOf(request: HttpRequest): string {
    return this.config.issuer ?? `${request.protocol()}://${request.host()}`
  }

  /** The metadata document as JSON (RFC 8414). */
  async metadata(request: HttpRequest): Promise<string> {
    await this.keys.ready()
    return JSON.stringify(describeServer(this, this.issuerOf(request)))
  }

  /** Deletes expired tokens and codes that nothing needs any more, and returns how many. */
  async purge(): Promise<number> {
    const now = Date.now()
    /* A request that was let in before its refresh token expired has long been answered by then. */
    return this.tokens.purge(now, now - this.config.accessTokenTtl * 1000)
  }
}

/** A controller over the authorization server, which the container hands over. */
@inject()
export class ServerController {
  constructor(protected server: AuthorizationServer) {}
}

/** The authorization server's metadata (RFC 8414 §2, RFC 9207 §3). JSON leaves out what is undefined. */
function describeServer(server: AuthorizationServer, issuer: string) {
  const { config, keys, catalogue, devices, dpop, openid } = server
  const { pushedRequests, clientDocuments, trustedIssuers } = config
  const scopes = catalogue.offered(config.grantTypes)
  const methods = authMethodsOf(config)
  const algorithms = when(config.clientAssertions, ASYMMETRIC_ALGORITHMS)
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    jwks_uri: when(keys.stored, `${issuer}/.well-known/jwks.json`),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    scopes_supported: when(scopes.length, scopes),
    code_challenge_methods_supported: when(config.pkceMethods.length, config.pkceMethods),
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    /* RFC 7591, and draft-ietf-oauth-client-id-metadata-document-02. */
    registration_endpoint: when(config.dynamicRegistration, `${issuer}/oauth/register`),
    client_id_metadata_document_supported: when(clientDocuments.enabled, true),
    /* RFC 8628 §4, RFC 9126 §5, RFC 9449 §5.1, RFC 9701 §7. */
    device_authorization_endpoint: when(devices.isEnabled, `${issuer}/oauth/device_authorization`),
    pushed_authorization_request_endpoint: when(pushedRequests.enabled, `${issuer}/oauth/par`),
    require_pushed_authorization_requests: when(pushedRequests.required, true),
    dpop_signing_alg_values_supported: when(dpop.isEnabled, dpop.algorithms),
    grant_types_supported: config.grantTypes,
    authorization_grant_profiles_supported: when(trustedIssuers.length, [ID_JAG_PROFILE]),
    introspection_signing_alg_values_supported: when(keys.isAsymmetric, keys.algorithms),
    ...openid?.metadata(),
  }
}

const when = <Value>(isOn: unknown, value: Value) => (isOn ? value : undefined)
