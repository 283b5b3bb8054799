/**
 * The columns of the kit's tables, as its migrations make them. A test holds the names against the
 * database. Instants are epoch milliseconds; lists and objects are JSON. PostgreSQL hands a bigint over
 * as text, and SQLite stores booleans as numbers.
 */

import { BaseModel, column } from '@adonisjs/lucid/orm'

class Created extends BaseModel {
  @column({ consume: Number }) declare createdAt: number
}

/** What expires at an instant. */
class Expiring extends Created {
  @column({ consume: Number }) declare expiresAt: number
}

/** What belongs to a user of a user provider. */
class Owned extends Created {
  @column() declare provider: string
  @column() declare userId: string
}

/** What belongs to a user, with a number for a key. */
class OwnedRow extends Owned {
  @column({ isPrimary: true, consume: Number }) declare id: number
}

/** What a user has granted to a client: the right to use it until then. */
class Granted extends Owned {
  @column({ consume: Number }) declare expiresAt: number
  @column({ isPrimary: true }) declare id: string
  @column() declare resource: string | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare revokedAt: number | null
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare scopes: string[]
}

export class MailCodeSchema extends BaseModel {
  @column({ consume: Number }) declare expiresAt: number
  @column() declare hash: string
  @column({ isPrimary: true }) declare id: string
  @column() declare tries: number
}

export class McpTaskSchema extends Expiring {
  @column() declare data: string
  @column({ isPrimary: true }) declare id: string
  @column() declare owner: string | null
  @column() declare server: string
  @column() declare status: string
  @column() declare version: number
}

export class OauthAccessTokenSchema extends Expiring {
  @column() declare clientId: string | null
  @column({ prepare: (value) => (value ? JSON.stringify(value) : null), consume: (value) => JSON.parse(value) }) declare context: Record<string, unknown> | null
  @column() declare dpopJkt: string | null
  @column() declare grantId: string | null
  @column({ isPrimary: true }) declare jti: string
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare lastUsedAt: number | null
  @column() declare name: string | null
  @column() declare provider: string | null
  @column() declare resource: string | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare revokedAt: number | null
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare scopes: string[]
  @column() declare userId: string | null
}

export class OauthAuthCodeSchema extends Granted {
  @column() declare accessTokenId: string | null
  @column() declare authentication: string | null
  @column() declare clientId: string
  @column() declare codeChallenge: string | null
  @column() declare codeChallengeMethod: string | null
  @column() declare codeHash: string
  @column() declare dpopJkt: string | null
  @column() declare grantId: string | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare redeemedAt: number | null
  @column() declare redirectUri: string | null
}

export class OauthClientSessionSchema extends BaseModel {
  @column() declare attempts: number
  @column() declare clientId: string
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare dueAt: number | null
  @column({ consume: Number }) declare expiresAt: number
  @column() declare provider: string
  @column({ isPrimary: true }) declare sid: string
  @column() declare subject: string
  @column() declare userId: string
}

export class OauthClientSchema extends Created {
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare documentExpiresAt: number | null
  @column({ consume: Boolean }) declare firstParty: boolean
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare grantTypes: string[]
  @column({ isPrimary: true }) declare id: string
  @column({ prepare: (value) => (value ? JSON.stringify(value) : null), consume: (value) => JSON.parse(value) }) declare jwks: Record<string, any>[] | null
  @column() declare jwksUri: string | null
  @column() declare name: string
  @column({ prepare: (value) => (value ? JSON.stringify(value) : null), consume: (value) => JSON.parse(value) }) declare openid: Record<string, unknown> | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare previousSecretExpiresAt: number | null
  @column() declare previousSecretHash: string | null
  @column() declare provider: string | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare purgeAt: number | null
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare redirectUris: string[]
  @column() declare refreshGracePeriod: number | null
  @column({ consume: Boolean }) declare requirePushed: boolean
  @column({ consume: Boolean }) declare revoked: boolean
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare scopes: string[]
  @column() declare secretHash: string | null
  @column() declare source: string | null
}

export class OauthDeviceAuthorizationSchema extends Expiring {
  @column() declare clientId: string
  @column() declare codeHash: string | null
  @column() declare decision: string | null
  @column({ isPrimary: true }) declare deviceCodeHash: string
  @column() declare ipAddress: string | null
  @column() declare pollInterval: number
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare polledAt: number | null
  @column() declare resource: string | null
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare scopes: string[]
  @column() declare userAgent: string | null
  @column() declare userCodeHash: string
}

export class OauthGrantSchema extends Granted {
  @column() declare clientId: string
  @column({ prepare: (value) => (value ? JSON.stringify(value) : null), consume: (value) => JSON.parse(value) }) declare context: Record<string, unknown> | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare lastUsedAt: number | null
  @column() declare liveKey: string | null
  @column() declare redirectHost: string | null
}

export class OauthKeySchema extends Created {
  @column() declare algorithm: string
  @column({ isPrimary: true }) declare kid: string
  @column() declare sealed: string
  @column({ consume: Number }) declare signsAt: number
}

export class OauthPendingAuthorizationSchema extends Owned {
  @column({ consume: Number }) declare expiresAt: number
  @column({ isPrimary: true }) declare handleHash: string
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare parameters: Record<string, string>
  @column() declare sessionHash: string | null
}

export class OauthPushedRequestSchema extends Expiring {
  @column() declare clientId: string
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare parameters: Record<string, string>
  @column({ isPrimary: true }) declare uriHash: string
}

export class OauthRefreshTokenSchema extends Granted {
  @column() declare accessTokenId: string
  @column() declare authentication: string | null
  @column() declare clientId: string | null
  @column() declare dpopJkt: string | null
  @column() declare familyId: string | null
  @column() declare grantId: string | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare replayableUntil: number | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare rotatedAt: number | null
  @column() declare sealedSuccessor: string | null
  @column() declare tokenHash: string
}

export class OrganisationProviderSchema extends Created {
  @column() declare clientId: string
  @column() declare clientSecret: string
  @column() declare domain: string
  @column({ consume: Boolean }) declare forbidsPassword: boolean
  @column({ isPrimary: true }) declare id: number
  @column() declare issuer: string
  @column() declare name: string
  @column() declare token: string
  @column() declare verifiedDomain: string | null
  @column() declare workspaceId: number | null
}

export class PasskeySchema extends OwnedRow {
  @column({ consume: Number }) declare counter: number
  @column() declare credentialId: string
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare lastUsedAt: number | null
  @column() declare name: string
  @column() declare publicKey: string
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare transports: string[]
}

export class PasswordResetTokenSchema extends Expiring {
  @column() declare broker: string
  @column() declare email: string
  @column({ isPrimary: true }) declare id: number
  @column() declare token: string
}

export class PersonalApiTokenSchema extends OwnedRow {
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare abilities: string[]
  @column({ prepare: (value) => (value ? JSON.stringify(value) : null), consume: (value) => JSON.parse(value) }) declare context: Record<string, unknown> | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare expiresAt: number | null
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare lastUsedAt: number | null
  @column() declare name: string | null
  @column() declare token: string
}

export class RateLimitSchema extends BaseModel {
  @column() declare expire: bigint | number | null
  @column({ isPrimary: true }) declare key: string
  @column() declare points: number
}

export class SecurityEventSchema extends Owned {
  @column() declare about: string | null
  @column({ prepare: (value) => JSON.stringify(value), consume: (value) => JSON.parse(value) }) declare details: Record<string, string | number>
  @column({ isPrimary: true }) declare id: number
  @column() declare ipAddress: string | null
  @column() declare type: string
  @column() declare userAgent: string | null
}

export class SessionSchema extends Expiring {
  @column() declare csrfToken: string
  @column() declare data: string
  @column() declare guard: string | null
  @column({ isPrimary: true }) declare id: string
  @column() declare ipAddress: string | null
  @column({ consume: Number }) declare lastActivity: number
  @column() declare login: string | null
  @column() declare originSid: string | null
  @column() declare originSubject: string | null
  @column() declare userAgent: string | null
  @column() declare userId: string | null
}

export class SocialIdentitySchema extends OwnedRow {
  @column() declare email: string | null
  @column() declare issuer: string
  @column({ consume: Number }) declare lastUsedAt: number
  @column() declare name: string
  @column() declare passwordMark: string | null
  @column() declare subject: string
}

export class TwoFactorRecoveryCodeSchema extends OwnedRow {
  @column() declare code: string
}

export class TwoFactorSecretSchema extends OwnedRow {
  @column({ consume: Number }) declare lastStep: number
  @column() declare secret: string
}

export class WorkspaceInvitationSchema extends Expiring {
  @column() declare email: string
  @column({ isPrimary: true }) declare id: number
  @column() declare inviterId: string | null
  @column() declare inviterProvider: string | null
  @column() declare role: string
  @column() declare tokenHash: string
  @column() declare workspaceId: number
}

export class WorkspaceMembershipSchema extends Owned {
  @column({ isPrimary: true }) declare id: number
  @column() declare role: string
  @column() declare workspaceId: number
}

export class WorkspaceSchema extends Created {
  @column({ consume: (value) => (value === null ? null : Number(value)) }) declare deletedAt: number | null
  @column({ isPrimary: true }) declare id: number
  @column() declare name: string
  @column() declare personalOf: string | null
  @column() declare slug: string
}
