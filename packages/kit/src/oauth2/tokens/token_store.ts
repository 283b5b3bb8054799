import type { ModelAttributes } from '@adonisjs/lucid/types/model'

import type { MaybePromise } from '#process/maybe_promise'
import type { Owner, Users } from '#auth/users'
import type { KeptRecords, UsedOnce } from '#database/records'
import type { Authentication } from '#oauth2/openid/openid'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import type { DeviceStore } from '#oauth2/device/device_store'
import type OAuthAccessToken from '#oauth2/models/oauth_access_token'
import type OAuthAuthCode from '#oauth2/models/oauth_auth_code'
import type OAuthRefreshToken from '#oauth2/models/oauth_refresh_token'
import type { PendingRecord } from '#oauth2/pending/pending_authorizations'
import type { PushedRecord } from '#oauth2/par/pushed_requests'
import type { GrantStore } from '#oauth2/user_grants/grant_store'

/* What the stores keep, as the tables have it. Instants are epoch milliseconds. */

/**
 * `clientId` is null for personal access tokens and for the password grant without a client, `userId` for client
 * credentials, `grantId` in rows older than grants and where no user approved. `dpopJkt` is the thumbprint of the key
 * that the use of a token has to prove (RFC 9449). Personal access tokens alone have `name`, `lastUsedAt` (to the
 * minute) and `context`: every other token has the context of its grant.
 */
export type AccessTokenRecord = ModelAttributes<OAuthAccessToken>

/** The answer to a rotation, encrypted with the rotated token, and until when it may be given again. */
export type Replay = { sealed: string; until: number }

/** For ID tokens; null where none are issued. */
type Authenticated = { authentication: Authentication | null }

/**
 * `familyId` is null in rows older than families: such a token is the first of its own. `accessTokenId` is what was
 * issued together with it, and `replay` is for the window after a rotation.
 */
export type RefreshTokenRecord = Authenticated & { replay: Replay | null } & Omit<
    ModelAttributes<OAuthRefreshToken>,
    'authentication' | 'sealedSuccessor' | 'replayableUntil'
  >

/** `redirectUri` is as it was sent, null when it was not; `accessTokenId` is what the code was redeemed for. */
export type AuthorizationCodeRecord = Authenticated &
  Omit<ModelAttributes<OAuthAuthCode>, 'authentication'>

/** An access token and, where one goes with it, its refresh token. */
export type IssuedRecords = { access: AccessTokenRecord; refresh: RefreshTokenRecord | null }

/** A record, with its user where the store could read both at once; undefined when it did not look. */
export type Found<Record> = { record: Record; user?: unknown }

export type TokenOwner = Owner | { clientId: string }

/** The first token of a family is the row that everything about the family locks. */
export function familyOf(token: Pick<RefreshTokenRecord, 'id' | 'familyId'>): string {
  return token.familyId ?? token.id
}

/**
 * Where tokens and codes live. Methods may be sync or async, and are atomic; those that touch one family
 * run one after the other: nothing inserted meanwhile survives a revocation.
 */
export interface TokenStore {
  /** What users have allowed clients. Codes and tokens under a grant end with it. */
  readonly grants: GrantStore

  /** Authorization requests that wait for a person's decision. */
  readonly pending: KeptRecords<PendingRecord>

  /** Authorization requests that clients have pushed. */
  readonly pushed: KeptRecords<PushedRecord>

  /** Assertions and proofs of keys that have been used. */
  readonly used: UsedOnce

  /** Devices that wait for a person's decision. */
  readonly devices: DeviceStore

  /** Inserts a code that is under no grant. */
  insertCode(code: AuthorizationCodeRecord): MaybePromise<void>

  /** @param users whose users the code most likely belongs to, so that a store can read both at once */
  findCode(codeHash: string, users?: Users): MaybePromise<Found<AuthorizationCodeRecord> | null>

  /** Redeems a code and inserts its tokens; false when it was redeemed or revoked, or its grant was. */
  redeemCode(codeId: string, issued: IssuedRecords, now: number): MaybePromise<boolean>

  insertTokens(issued: IssuedRecords): MaybePromise<void>

  /** Inserts tokens; false when their client is revoked; null, when the clients are where it cannot tell. */
  insertUnlessRevoked?(
    issued: IssuedRecords,
    clients: ClientRepository
  ): MaybePromise<boolean | null>

  findAccessToken(jti: string, users?: Users): MaybePromise<Found<AccessTokenRecord> | null>

  findRefreshToken(tokenHash: string, users?: Users): MaybePromise<Found<RefreshTokenRecord> | null>

  /** The refresh token that was issued together with an access token. */
  findRefreshTokenOf(jti: string): MaybePromise<RefreshTokenRecord | null>

  /** Replaces a token by its successors and revokes its access token; false when it or its grant has ended before. */
  rotate(
    current: RefreshTokenRecord,
    issued: IssuedRecords,
    now: number,
    replay: Replay | null
  ): MaybePromise<boolean>

  /** Revokes every refresh token of a family, and every access token issued with them. */
  revokeFamily(familyId: string, now: number): MaybePromise<void>

  /** Revokes an access token together with the family it belongs to. */
  revokeAccessToken(jti: string, now: number): MaybePromise<void>

  /** Revokes all grants, codes and tokens of an owner, personal access tokens excepted. */
  revokeAll(owner: TokenOwner, now: number): MaybePromise<void>

  revokePersonal(user: Owner, now: number): MaybePromise<void>

  /** Revokes the personal access tokens of a user whose context matches, like `endWhere` of the grants. */
  endPersonalWhere: GrantStore['endWhere']

  /** Access tokens of a user, newest first: the personal ones, or all others. */
  listAccessTokens(user: Owner, kind: { personal: boolean }): MaybePromise<AccessTokenRecord[]>

  /** Records that an access token was used. @param before a use after this instant is not overwritten */
  recordUse(jti: string, now: number, before: number): MaybePromise<void>

  /** Whether an access token that was made at or before an instant is active: neither expired nor revoked. */
  hasActiveFrom(until: number, now: number): MaybePromise<boolean>

  /** Which of these clients have a record here, expired or not: a grant, a code or a token. */
  findClientsInUse(clientIds: string[]): MaybePromise<string[]>

  /**
   * Deletes expired records and returns how many. The first refresh token of a family, which locks it,
   * stays until the others are gone; an access token as long as the refresh token that was issued with
   * it, a redeemed code as long as its family, a grant as long as anything under it. What rotated tokens
   * keep for a replay goes with the end of its window.
   * @param familiesBefore refresh tokens go when they expired at or before this instant
   */
  purge(now: number, familiesBefore: number): MaybePromise<number>
}
