import { SignJWT } from 'jose'

import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import type { OAuth2Config } from '#kit/oauth2/define_config'
import { JWT_BEARER, type TrustedIssuerConfig } from '#kit/oauth2/trusted_issuers/config'
import { type ClientKey, clientKey } from '#starter/helpers/assertions'
import {
  type Fields,
  RESOURCE,
  type TestClient,
  credentials,
  postToken,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'

/** This server, as assertions name it. */
export const OWN_ISSUER = 'https://as.example.com'

/** The identity provider of a company. */
export const IDP = 'https://acme.idp.example'

/** All that a token request by an assertion needs. */
export interface Trust {
  key: ClientKey
  client: TestClient
  user: User
}

let made = 0

/** A server that trusts the provider for its domain, a client, and a person of the company with a verified address. */
export async function trust(
  issuer: Partial<TrustedIssuerConfig> = {},
  more: OAuth2Config = {}
): Promise<Trust> {
  const key = await clientKey()
  const domains = issuer.resolveUser ? undefined : ['acme.example']
  await useConfig({
    issuer: OWN_ISSUER,
    trustedIssuers: [{ issuer: IDP, jwks: { keys: [key.jwk] }, domains, ...issuer }],
    ...more,
  })
  const client = await registerClient({ grantTypes: [JWT_BEARER] })
  return { key, client, user: await colleague() }
}

/** A user with an address of the company. */
export function colleague(attributes: Partial<User> = {}): Promise<User> {
  const email = `person-${++made}@acme.example`
  return UserFactory.merge({ email, emailVerifiedAt: Date.now(), ...attributes }).create()
}

/** An assertion that nothing is wrong with; undefined takes a claim out. */
export function identityAssertion(
  { key, client, user }: Trust,
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {}
): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const all = {
    iss: IDP,
    sub: 'U019488227',
    email: user.email,
    email_verified: true,
    aud: OWN_ISSUER,
    client_id: client.id,
    resource: RESOURCE,
    scope: 'posts:read',
    iat: now,
    exp: now + 300,
    jti: `jti-${++made}-${Math.random()}`,
    ...claims,
  }
  return new SignJWT(all)
    .setProtectedHeader({
      alg: key.algorithm,
      kid: key.kid,
      typ: 'oauth-id-jag+jwt',
      ...header,
    } as never)
    .sign(key.privateKey)
}

/** Presents an assertion; undefined takes a field out. */
export function present(
  { client }: Trust,
  assertion: string,
  more: Fields = {},
  headers: Record<string, string> = {}
) {
  const form = { grant_type: JWT_BEARER, assertion, ...credentials(client), ...more }
  return postToken(form, headers)
}
