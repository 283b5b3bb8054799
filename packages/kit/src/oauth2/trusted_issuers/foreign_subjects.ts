import type { Owner, Users } from '#auth/users'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import {
  type IdentityAssertion,
  assertAssertion,
} from '#oauth2/trusted_issuers/identity_assertions'

/** The active user of an assertion, among those that the client acts for. @throws {InvalidGrant} when there is none */
export async function findSubject(
  server: AuthorizationServer,
  assertion: IdentityAssertion,
  client: Client
): Promise<Owner> {
  const { manager, guard } = server
  const isServed = !client.provider || manager.hasUsers(client.provider)
  assertAssertion(isServed, 'client acts for users of no configured user provider')
  const users = client.provider ? manager.users(client.provider) : manager.usersOf(guard)
  const user = assertion.issuer.resolveUser
    ? await resolve(assertion, users)
    : await findByAddress(server, assertion, users)
  assertAssertion(user, 'subject of the assertion unknown or inactive')
  const verification = manager.feature('emailVerification')
  const needsAddress = verification?.isRequired && verification.users === users
  assertVerified(!needsAddress || verification.isVerified(user))
  return users.ownerOf(user)
}

async function resolve({ issuer, claims }: IdentityAssertion, users: Users): Promise<unknown> {
  const identity = { issuer: issuer.issuer, subject: claims.sub, provider: users.name, claims }
  const id = await issuer.resolveUser!(identity)
  return id === null || id === undefined ? null : users.findActive(id)
}

/**
 * The user with the address, when both sides have verified it: the account of anybody who registered
 * here with an address that is not theirs would be a stranger's.
 */
async function findByAddress(
  { manager }: AuthorizationServer,
  { issuer, claims }: IdentityAssertion,
  users: Users
): Promise<unknown> {
  const { email, email_verified: isConfirmed = true } = claims
  assertAssertion(
    typeof email === 'string' && isConfirmed === true,
    'assertion without an e-mail address, or with one that is not verified'
  )
  const address = email.toLowerCase()
  const domain = address.slice(address.lastIndexOf('@') + 1)
  assertAssertion(
    domain !== address && issuer.domains.includes(domain),
    'e-mail address of a domain that the issuer is not trusted for'
  )
  const user = await users.findActiveByUsername(address)
  const verification = manager.feature('emailVerification')
  assertVerified(!user || (verification?.users === users && verification.isVerified(user)))
  return user
}

function assertVerified(isVerified: boolean) {
  assertAssertion(isVerified, 'address of the user not verified')
}
