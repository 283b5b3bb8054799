import type { Owner, Users } from '#auth/users'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import { type IdentityAssertion, refused } from '#oauth2/trusted_issuers/identity_assertions'

/** The users whom trusted issuers speak of. */
export class ForeignSubjects {
  constructor(protected server: AuthorizationServer) {}

  /**
   * The active user of an assertion, among those that the client acts for.
   *
   * @throws {InvalidGrant} when there is none
   */
  async find(assertion: IdentityAssertion, client: Client): Promise<Owner> {
    const { manager, guard } = this.server
    if (client.provider && !manager.hasUsers(client.provider)) {
      throw refused('client acts for users of no configured user provider')
    }
    const users = client.provider ? manager.users(client.provider) : manager.usersOf(guard)
    const user = assertion.issuer.resolveUser
      ? await this.#resolve(assertion, users)
      : await this.#findByAddress(assertion, users)
    if (!user) {
      throw refused('subject of the assertion unknown or inactive')
    }
    const verification = manager.feature('emailVerification')
    const needsAddress = verification?.isRequired && verification.users === users
    if (needsAddress && !verification.isVerified(user)) {
      throw refused('address of the user not verified')
    }
    return users.ownerOf(user)
  }

  async #resolve({ issuer, claims }: IdentityAssertion, users: Users): Promise<unknown | null> {
    const id = await issuer.resolveUser!({
      issuer: issuer.issuer,
      subject: claims.sub,
      provider: users.name,
      claims,
    })
    return id === null || id === undefined ? null : users.findActive(id)
  }

  /**
   * The user with the address, when both sides have verified it. Anybody could have registered an
   * address here that is not theirs: the account would be a stranger's.
   */
  async #findByAddress({ issuer, claims }: IdentityAssertion, users: Users) {
    const { email, email_verified: isVerified } = claims
    if (typeof email !== 'string' || (isVerified !== undefined && isVerified !== true)) {
      throw refused('assertion without an e-mail address, or with one that is not verified')
    }
    const address = email.toLowerCase()
    const domain = address.slice(address.lastIndexOf('@') + 1)
    if (domain === address || !issuer.domains.includes(domain)) {
      throw refused('e-mail address of a domain that the issuer is not trusted for')
    }
    const user = await users.findActiveByUsername(address)
    const verification = this.server.manager.feature('emailVerification')
    if (user && (verification?.users !== users || !verification.isVerified(user))) {
      throw refused('address of the user not verified')
    }
    return user
  }
}
