import db from '@adonisjs/lucid/services/db'

import { generateIdentifier, generateSecret, hashSecret } from '#kit/security/secrets'
import { Client } from '#kit/oauth2/clients/client'
import {
  type ClientRepository,
  InMemoryClientRepository,
  OrmClientRepository,
} from '#kit/oauth2/clients/client_repository'
import type { DeviceRecord } from '#kit/oauth2/device/device_store'
import { DatabaseTokenStore } from '#kit/oauth2/tokens/database_token_store'
import { MemoryTokenStore } from '#kit/oauth2/tokens/memory_token_store'
import type {
  AccessTokenRecord,
  AuthorizationCodeRecord,
  IssuedRecords,
  RefreshTokenRecord,
  TokenStore,
} from '#kit/oauth2/tokens/token_store'
import { CONNECTIONS } from '#starter/helpers/databases'

interface Stores {
  name: string
  connection?: string
  tokens: () => TokenStore
  clients: () => ClientRepository
}

/** One contract, every store. The database stores run on whatever DB_CONNECTION names. */
export const STORES: Stores[] = [
  {
    name: 'memory',
    tokens: () => new MemoryTokenStore(),
    clients: () => new InMemoryClientRepository(),
  },
  ...CONNECTIONS.map(({ name, connection }) => ({
    name,
    connection,
    tokens: () => new DatabaseTokenStore(() => db.connection(connection)),
    clients: () => new OrmClientRepository(() => db.connection(connection)),
  })),
]

export const TABLES = [
  'oauth_access_tokens',
  'oauth_refresh_tokens',
  'oauth_auth_codes',
  'oauth_grants',
  'oauth_pending_authorizations',
  'oauth_device_authorizations',
  'oauth_pushed_requests',
  'used_once',
  'oauth_clients',
]

export const USER = { userId: '7', provider: 'users' }
/** Instants of records: made, a second after, and when they expire. */
export const CREATED = 1_700_000_000_000
export const LATER = CREATED + 1_000
export const EXPIRES = CREATED + 3_600_000

export function accessToken(fields: Partial<AccessTokenRecord> = {}): AccessTokenRecord {
  return {
    jti: generateIdentifier(),
    ...USER,
    clientId: 'client',
    scopes: ['posts:read', 'ünï'],
    resource: null,
    name: null,
    grantId: null,
    context: null,
    dpopJkt: null,
    lastUsedAt: null,
    createdAt: CREATED,
    expiresAt: EXPIRES,
    revokedAt: null,
    ...fields,
  }
}

/** An access token with its refresh token; without a family, the first of a new one. */
export function pair(
  fields: Partial<RefreshTokenRecord> = {}
): IssuedRecords & { refresh: RefreshTokenRecord } {
  const { userId, provider, clientId } = { ...USER, clientId: 'client', ...fields }
  const access = accessToken({ userId, provider, clientId })
  const id = generateIdentifier()
  return {
    access,
    refresh: {
      id,
      tokenHash: hashSecret(generateSecret()),
      familyId: id,
      accessTokenId: access.jti,
      userId,
      provider,
      clientId,
      scopes: ['posts:read'],
      resource: null,
      grantId: null,
      authentication: null,
      dpopJkt: null,
      createdAt: CREATED,
      expiresAt: EXPIRES,
      rotatedAt: null,
      revokedAt: null,
      replay: null,
      ...fields,
    },
  }
}

export function authorizationCode(
  fields: Partial<AuthorizationCodeRecord> = {}
): AuthorizationCodeRecord {
  return {
    id: generateIdentifier(),
    codeHash: hashSecret(generateSecret()),
    ...USER,
    clientId: 'client',
    redirectUri: 'https://client.example.com/' + 'x'.repeat(1000),
    scopes: ['posts:read'],
    resource: 'https://api.example.com',
    codeChallenge: 'c'.repeat(43),
    codeChallengeMethod: 'S256',
    grantId: null,
    authentication: null,
    dpopJkt: null,
    createdAt: CREATED,
    expiresAt: EXPIRES,
    redeemedAt: null,
    accessTokenId: null,
    revokedAt: null,
    ...fields,
  }
}

/** A client without anything that it need not have. */
export function bareClient(fields: Partial<Client> = {}): Client {
  return new Client({
    id: generateIdentifier(),
    name: 'A client',
    secretHash: null,
    redirectUris: [],
    grantTypes: [],
    scopes: [],
    provider: null,
    revoked: false,
    createdAt: 1000,
    ...fields,
  })
}

/** A device that waits for a decision. */
export function waitingDevice(fields: Partial<DeviceRecord> = {}): DeviceRecord {
  return {
    deviceCodeHash: hashSecret(generateSecret()),
    userCodeHash: hashSecret(generateSecret()),
    clientId: 'client',
    scopes: ['posts:read', 'ünï'],
    resource: 'https://api.example.com',
    ipAddress: '2001:db8::1',
    userAgent: 'curl/8',
    interval: 5,
    polledAt: null,
    decision: null,
    codeHash: null,
    createdAt: CREATED,
    expiresAt: EXPIRES,
    ...fields,
  }
}
