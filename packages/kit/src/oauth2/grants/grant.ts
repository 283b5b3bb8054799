import { InvalidGrant, InvalidTarget, LoginStepRequired, UnauthorizedClient } from '#auth/errors'
import { verifyLogin } from '#auth/password_login'
import type { Users } from '#auth/users'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { type AssertGrant, grantAssertion } from '#oauth2/parameters'
import { ServerPart } from '#oauth2/server_part'
import { splitScopes } from '#oauth2/scopes'
import { usersServedBy } from '#oauth2/token_owners'
import type { TokenResponse } from '#oauth2/tokens/token_issuer'
import { assertOr } from '#process/assert_or'

/**
 * A way to obtain tokens (RFC 6749 §1.3). Your own are added by the setting `grants`, or by
 * `server.grants.register()` when a provider boots, and enabled by the setting `grantTypes`.
 */
export interface Grant {
  /** The `grant_type` that names it. */
  readonly identifier: string

  /** @throws {AuthError} when the tokens are not granted */
  handle(request: ClientRequest): Promise<TokenResponse>
}

export type GrantSource =
  (new (server: AuthorizationServer) => Grant) | ((server: AuthorizationServer) => Grant)

/** A request without a client may use every enabled grant. */
export function mayUse(config: ResolvedOAuth2Config, client: Client | null, grantType: string) {
  return config.grantTypes.includes(grantType) && (client === null || client.allowsGrant(grantType))
}

/** @throws {UnauthorizedClient} when the client may not use the grant */
export function assertMayUse(
  config: ResolvedOAuth2Config,
  client: Client | null,
  grantType: string
) {
  const isAllowed = mayUse(config, client, grantType)
  assertOr(isAllowed, UnauthorizedClient, 'The grant is not allowed to this client.')
}

/** The client of a grant for confidential ones. @throws {InvalidClient | UnauthorizedClient} */
export async function authenticateConfidential(
  { config, authentication }: AuthorizationServer,
  request: ClientRequest,
  grantType: string
): Promise<Client> {
  const client = await authentication.authenticate(request)
  assertOr(client.confidential, UnauthorizedClient, 'A public client cannot use this grant.')
  assertMayUse(config, client, grantType)
  return client
}

/** The scopes and the resource that a request asks for, as far as its client may have them. */
export function requestedAccess(
  { catalogue, config }: AuthorizationServer,
  { parameters }: ClientRequest,
  client: Client | null
) {
  return {
    scopes: catalogue.resolve(splitScopes(parameters.get('scope') ?? ''), client),
    resource: config.served.resolve(parameters.get('resource')),
  }
}

/** A confidential client acts for itself (RFC 6749 §4.4); no refresh token goes with the token (§4.4.3). */
export class ClientCredentialsGrant extends ServerPart implements Grant {
  readonly identifier = 'client_credentials'

  async handle(request: ClientRequest) {
    const { dpop, issuance } = this.server
    const client = await authenticateConfidential(this.server, request, this.identifier)
    const access = requestedAccess(this.server, request, client)
    const binding = await dpop.bind(request, client)
    const granted = { user: null, clientId: client.id, ...access, binding }
    return issuance.issue(this.identifier, granted, false)
  }
}

/** A request may repeat the resource of what it presents, and name no other (RFC 8707 §2.2). */
export function assertResource(
  { config }: AuthorizationServer,
  { parameters }: ClientRequest,
  resource: string | null,
  presented: 'code' | 'device_code' | 'assertion'
) {
  const named = config.served.resolve(parameters.get('resource'))
  const isSame = named === null || named === resource
  assertOr(isSame, InvalidTarget, `The resource is not that of the ${presented}.`)
}

const assertPassword: AssertGrant = grantAssertion('The username or the password is wrong.')

/** The password grant (RFC 6749 §4.3), off by default: OAuth 2.1 removed it. A client is optional. */
export class PasswordGrant extends ServerPart implements Grant {
  readonly identifier = 'password'

  async handle(request: ClientRequest) {
    const { config, manager, authentication, dpop, issuance, accessTokens, tokens } = this.server
    const { parameters } = request

    const client = await authentication.authenticateIfNamed(request, true)
    assertMayUse(config, client, this.identifier)

    const username = parameters.require('username')
    const password = parameters.require('password')
    const access = requestedAccess(this.server, request, client)

    const users = usersServedBy(manager, client)
    assertOr(users, UnauthorizedClient, 'The client acts for users of no configured user provider.')
    const person = await this.#verify(users, username, password, request)
    const user = users.ownerOf(person)
    const refreshable = mayUse(config, client, 'refresh_token')
    const binding = await dpop.bind(request, client)
    const granted = { user, clientId: client?.id ?? null, ...access, binding }
    const response = await issuance.issue(this.identifier, granted, refreshable)
    /* Asked when the tokens are there: until then the password may be changed, as during a sign-in. */
    if (await users.hasNewPassword(person)) {
      const { jti } = await accessTokens.verify(response.access_token)
      await tokens.revokeAccessToken(jti, Date.now())
      assertPassword(false, 'password changed meanwhile')
    }
    return response
  }

  /** @throws {InvalidGrant} unless the credentials are those of an active user whose address is good enough */
  async #verify(users: Users, typed: string, password: string, request: ClientRequest) {
    const { manager } = this.server
    const { credentialKeys } = manager.loginSteps
    const username = users.toUsername(typed)
    const steps = credentialKeys.map((key) => [key, request.parameters.get(key)])
    const login = {
      ...Object.fromEntries(steps),
      ...{ username, [users.usernameKey]: username, [users.passwordKey]: password },
    }
    const verified = verifyLogin(manager, users, login, request.ctx)
    const user = await verified.catch(refuseMissingStep)
    assertPassword(user, 'user unknown or inactive, or password wrong')
    const verification = manager.feature('emailVerification')
    const isVerified = !verification?.isRequired || verification.isVerified(user)
    assertOr(isVerified, InvalidGrant, 'The e-mail address has to be verified first.')
    return user
  }
}

/** A step after the password, e.g. a second factor, is taken by parameters beside it. */
function refuseMissingStep(error: unknown): never {
  if (!(error instanceof LoginStepRequired)) {
    throw error
  }
  const reason = `login step missing: ${error.step}`
  throw new InvalidGrant(`${error.description} Send its code with the password.`, { reason })
}
