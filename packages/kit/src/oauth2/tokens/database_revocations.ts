import type { QueryClientContract, TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { LucidModel, ModelQueryBuilderContract } from '@adonisjs/lucid/types/model'

import type { ContextMatch } from '#auth/credential_contexts'
import type { Owner } from '#auth/users'
import { selectRows, within } from '#database/raw_query'
import OAuthAccessToken from '#oauth2/models/oauth_access_token'
import OAuthAuthCode from '#oauth2/models/oauth_auth_code'
import OAuthGrant from '#oauth2/models/oauth_grant'
import OAuthRefreshToken from '#oauth2/models/oauth_refresh_token'
import { isPostgres } from '#oauth2/tokens/statements'
import type { TokenOwner } from '#oauth2/tokens/token_store'

/** The models of the tables; the kit's own, or ones that extend them. */
export interface TokenModels {
  accessToken: typeof OAuthAccessToken
  refreshToken: typeof OAuthRefreshToken
  authCode: typeof OAuthAuthCode
}

/** What ends tokens in tables. Locks come in the order that `DatabaseTokenStore` names. */
export abstract class DatabaseRevocations {
  protected readonly models: TokenModels

  constructor(
    protected readonly client: () => QueryClientContract,
    models: Partial<TokenModels> = {}
  ) {
    this.models = {
      accessToken: models.accessToken ?? OAuthAccessToken,
      refreshToken: models.refreshToken ?? OAuthRefreshToken,
      authCode: models.authCode ?? OAuthAuthCode,
    }
  }

  async revokeFamily(familyId: string, now: number) {
    const { accessToken, refreshToken } = this.models
    await this.client().transaction(async (trx) => {
      const isMember = (token: Rows) => token.where('familyId', familyId).orWhere('id', familyId)
      const family = () => refreshToken.query({ client: trx }).where(isMember)

      if (isPostgres(trx)) {
        await selectRows(trx, LOCK_GRANT_OF_FAMILY, [familyId])
        await refreshToken.query({ client: trx }).where('id', familyId).forUpdate()
      }
      await revoke(family(), now)
      const issued = family().select('accessTokenId')
      await revoke(accessToken.query({ client: trx }).whereIn('jti', issued), now)
    })
  }

  /** Grants come first, then codes: a concurrent redemption holds the code's row, and later statements see its tokens. */
  async revokeAll(owner: TokenOwner, now: number) {
    const { accessToken, refreshToken, authCode } = this.models
    await this.client().transaction(async (trx) => {
      const grants = () => OAuthGrant.query({ client: trx }).where(owner)
      const codes = () => authCode.query({ client: trx }).where(owner)
      const refresh = () => refreshToken.query({ client: trx }).where(owner)
      const access = () => accessToken.query({ client: trx }).where(owner).whereNull('name')

      if (isPostgres(trx)) {
        await lockInOrder(grants().whereNull('revokedAt'), 'id')
      }
      await revoke(grants(), now, { expiresAt: now, liveKey: null })
      if (isPostgres(trx)) {
        await lockInOrder(codes().whereNull('redeemedAt'), 'id')
        const isFirst = (token: Rows) => token.whereNull('familyId').orWhereColumn('familyId', 'id')
        await lockInOrder(refresh().where(isFirst), 'id')
        await lockInOrder(access().whereNull('revokedAt'), 'jti')
      }
      await revoke(codes(), now)
      await revoke(refresh(), now)
      await revoke(access(), now)
    })
  }

  revokePersonal(user: Owner, now: number) {
    return revoke(this.accessTokens().where(user).whereNotNull('name'), now)
  }

  async endPersonalWhere(user: Owner, matches: ContextMatch, trx: TransactionClientContract) {
    const client = within(trx, this.client())
    const bound = this.accessTokens(client).where(user).whereNotNull('context')
    const rows = await bound.whereNull('revokedAt').orderBy('jti')
    const ended = rows.filter(({ context }) => matches(context!)).map(({ jti }) => jti)
    await revoke(this.accessTokens(client).whereIn('jti', ended), Date.now())
  }

  protected accessTokens(client: QueryClientContract = this.client()) {
    return this.models.accessToken.query({ client })
  }
}

/** Taken before the family's lock, as everywhere. */
const LOCK_GRANT_OF_FAMILY = `
  SELECT 1 FROM oauth_grants
  WHERE id = (SELECT grant_id FROM oauth_refresh_tokens WHERE id = ?) FOR SHARE`

type Rows = ModelQueryBuilderContract<LucidModel>

/** Revokes those of the rows that live. @param more other columns that a revocation changes */
export async function revoke(rows: Rows, now: number, more: object = {}): Promise<void> {
  await rows.whereNull('revokedAt').update({ revokedAt: now, ...more })
}

/** Rows in one order, so that two revocations never wait for each other. */
async function lockInOrder(rows: Rows, key: string) {
  await rows.select(key).orderBy(key).forUpdate()
}
