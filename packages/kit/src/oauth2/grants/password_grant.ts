import { InvalidGrant, LoginStepRequired, UnauthorizedClient } from '#auth/errors'
import { verifyLogin } from '#auth/password_login'
import type { Users } from '#auth/users'
import { ServerPart } from '#oauth2/server_part'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import {
  type AssertGrant,
  type Grant,
  assertMayUse,
  grantAssertion,
  isAnonymous,
  mayUse,
  requestedAccess,
} from '#oauth2/grants/grant'
import { usersServedBy } from '#oauth2/token_owners'
import { assertOr } from '#process/assert_or'

const assertPassword: AssertGrant = grantAssertion('The username or the password is wrong.')

/** The password grant (RFC 6749 §4.3), off by default: OAuth 2.1 removed it. A client is optional. */
export class PasswordGrant extends ServerPart implements Grant {
  readonly identifier = 'password'

  async handle(request: ClientRequest) {
    const { config, manager, authentication, dpop, issuance, accessTokens, tokens } = this.server
    const { parameters } = request

    const credentials = authentication.read(request)
    const client = isAnonymous(credentials)
      ? null
      : await authentication.authenticate(request, credentials)
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
