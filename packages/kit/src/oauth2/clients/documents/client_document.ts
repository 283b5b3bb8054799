import { InvalidClientMetadata } from '#auth/errors'
import { hasPrivateMembers } from '#oauth2/clients/assertions/public_keys'
import { Client } from '#oauth2/clients/client'
import { type MetadataRules, readClientMetadata } from '#oauth2/clients/client_metadata'
import { toClientOpenId } from '#oauth2/openid/client_settings'
import { UnusedClients } from '#oauth2/clients/unused_clients'

/** Members that nobody else may know: a document with one of them is not one for everybody (§4.1). */
const SECRETS = ['client_secret', 'client_secret_expires_at']

/** Seconds for which a copy of a document is used, whatever its cache headers say. */
const FRESH = { min: 300, max: 86_400 }

/**
 * The client that a metadata document describes
 * (draft-ietf-oauth-client-id-metadata-document-02 §4).
 *
 * @param options.maxAge seconds for which the document may be kept, as its headers say
 * @throws {InvalidClientMetadata | InvalidRedirectUri} when it does not describe a client that works here
 */
export function toClient(
  id: string,
  content: unknown,
  { maxAge, now, rules }: { maxAge: number; now: number; rules: MetadataRules }
): Client {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new InvalidClientMetadata('The document must be a JSON object.')
  }
  const members = content as Record<string, unknown>
  if (members.client_id !== id) {
    throw new InvalidClientMetadata('The client_id must be the URL of the document.')
  }
  assertNoSecrets(members)
  const metadata = readClientMetadata(members, rules)
  const { name, redirectUris, grantTypes, authMethod, requirePushed, keys } = metadata
  if (name === null) {
    throw new InvalidClientMetadata('The client_name is missing.')
  }
  if (authMethod !== null && authMethod !== 'none' && !keys) {
    throw new InvalidClientMetadata(
      `The token_endpoint_auth_method must be ${rules.clientAssertions ? 'private_key_jwt or ' : ''}none.`
    )
  }
  const fresh = Math.min(Math.max(maxAge, FRESH.min), FRESH.max)
  return new Client({
    id,
    name,
    secretHash: null,
    ...keys,
    redirectUris,
    grantTypes,
    scopes: [],
    provider: null,
    requirePushed,
    revoked: false,
    createdAt: now,
    source: 'document',
    documentExpiresAt: now + fresh * 1000,
    purgeAt: UnusedClients.purgeAt(now),
    openid: metadata.openid && toClientOpenId(metadata.openid, { id, redirectUris }),
  })
}

function assertNoSecrets(members: Record<string, unknown>) {
  const keys = (members.jwks as { keys?: unknown } | undefined)?.keys
  const hasPrivateKey = Array.isArray(keys) && keys.some(hasPrivateMembers)
  if (hasPrivateKey || SECRETS.some((name) => Object.hasOwn(members, name))) {
    throw new InvalidClientMetadata('The document must not have secrets.')
  }
}
