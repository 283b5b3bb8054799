import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { modelOptions } from '#database/model_client'
import { affectedRows, selectRows } from '#database/raw_query'
import { RowCodec } from '#database/row_codec'
import OAuthClient from '#oauth2/models/oauth_client'
import { Client, type ClientChanges, type ClientRow } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'

const clientRows = new RowCodec<ClientRow>({
  id: 'text',
  name: 'text',
  secretHash: 'text',
  previousSecretHash: 'text',
  previousSecretExpiresAt: 'number',
  jwks: 'json',
  jwksUri: 'text',
  redirectUris: 'json',
  grantTypes: 'json',
  scopes: 'json',
  provider: 'text',
  revoked: 'boolean',
  createdAt: 'number',
  source: 'text',
  documentExpiresAt: 'number',
  purgeAt: 'number',
  firstParty: 'boolean',
  requirePushed: 'boolean',
  refreshGracePeriod: 'number',
  openid: 'json',
})

const SELECT = 'SELECT * FROM oauth_clients WHERE id = ?'

const SAVE_DOCUMENT = `
  INSERT INTO oauth_clients
    (id, name, redirect_uris, grant_types, scopes, revoked, created_at, source, document_expires_at, purge_at, openid, jwks, jwks_uri, require_pushed)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET
    name = excluded.name,
    redirect_uris = excluded.redirect_uris,
    grant_types = excluded.grant_types,
    scopes = excluded.scopes,
    document_expires_at = excluded.document_expires_at,
    purge_at = excluded.purge_at,
    openid = excluded.openid,
    jwks = excluded.jwks,
    jwks_uri = excluded.jwks_uri,
    require_pushed = excluded.require_pushed
  WHERE oauth_clients.source = 'document'`

/** Clients in the table `oauth_clients`, through the Lucid model `OAuthClient` or one that extends it. */
export class OrmClientRepository implements ClientRepository {
  readonly #client: () => QueryClientContract
  readonly #model: typeof OAuthClient

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract, model: typeof OAuthClient = OAuthClient) {
    this.#client = client
    this.#model = model
  }

  /** Name of the connection that the clients are on. */
  get connectionName(): string {
    return this.#client().connectionName
  }

  /** Every token request passes here, so it goes past the model. */
  async find(id: string) {
    const [row] = await selectRows(this.#client(), SELECT, [id])
    return row ? new Client(clientRows.read(row)) : null
  }

  async findMany(ids: string[]) {
    const rows = await this.#model.query({ client: this.#client() }).whereIn('id', ids)
    return rows.map((row) => new Client(row))
  }

  async list() {
    const rows = await this.#model
      .query({ client: this.#client() })
      .orderBy([{ column: 'createdAt', order: 'desc' }, { column: 'id' }])
    return rows.map((row) => new Client(row))
  }

  async update(id: string, { redirectUris, openid, ...changes }: ClientChanges) {
    const result = await this.#model
      .query({ client: this.#client() })
      .where({ id, revoked: false })
      .update({
        ...changes,
        ...(redirectUris && { redirectUris: JSON.stringify(redirectUris) }),
        ...(openid !== undefined && { openid: openid && JSON.stringify(openid) }),
      })
    return affectedRows(result) > 0
  }

  async insert(client: Client) {
    const { redirectUris, grantTypes, scopes, ...fields } = client
    await this.#model.create(
      {
        ...fields,
        redirectUris: [...redirectUris],
        grantTypes: [...grantTypes],
        scopes: [...scopes],
      },
      modelOptions(this.#client())
    )
  }

  async saveDocument(client: Client) {
    await selectRows(this.#client(), SAVE_DOCUMENT, [
      client.id,
      client.name,
      JSON.stringify(client.redirectUris),
      JSON.stringify(client.grantTypes),
      JSON.stringify(client.scopes),
      client.revoked,
      client.createdAt,
      client.source,
      client.documentExpiresAt,
      client.purgeAt,
      client.openid && JSON.stringify(client.openid),
      client.jwks && JSON.stringify(client.jwks),
      client.jwksUri,
      client.requirePushed,
    ])
  }

  async revoke(id: string) {
    const result = await this.#model
      .query({ client: this.#client() })
      .where({ id, revoked: false })
      .update({ revoked: true })
    return affectedRows(result) > 0
  }

  async keepUntil(ids: string[], purgeAt: number) {
    const result = await this.#model
      .query({ client: this.#client() })
      .whereIn('id', ids)
      .whereNotNull('purgeAt')
      .update({ purgeAt })
    return affectedRows(result)
  }

  async findUnused(until: number, limit: number) {
    const rows = await this.#unused(until).select('id').orderBy('purgeAt').limit(limit)
    return rows.map(({ id }) => id)
  }

  async deleteUnused(ids: string[], until: number) {
    return affectedRows(await this.#unused(until).whereIn('id', ids).delete())
  }

  #unused(until: number) {
    return this.#model
      .query({ client: this.#client() })
      .where('purgeAt', '<=', until)
      .where('revoked', false)
  }
}
