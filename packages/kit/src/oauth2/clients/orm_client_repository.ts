import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { modelOptions } from '#database/models'
import { affectedRows, selectRows } from '#database/raw_query'
import { RowCodec } from '#database/row_codec'
import OAuthClient from '#oauth2/models/oauth_client'
import { Client, type ClientChanges, type ClientRow, STORED } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { insertion } from '#oauth2/tokens/statements'

const clientRows = new RowCodec<ClientRow>(STORED)

/** The columns that a metadata document decides about. */
const DOCUMENTED = [
  ...['name', 'redirect_uris', 'grant_types', 'scopes', 'document_expires_at', 'purge_at'],
  ...['openid', 'jwks', 'jwks_uri', 'require_pushed'],
].map((column) => `${column} = excluded.${column}`)

const REPLACE_DOCUMENT = `
  ON CONFLICT (id) DO UPDATE SET ${DOCUMENTED.join(', ')} WHERE oauth_clients.source = 'document'`

/** Clients in the table `oauth_clients`, through the Lucid model `OAuthClient` or one that extends it. */
export class OrmClientRepository implements ClientRepository {
  constructor(
    protected client: () => QueryClientContract,
    protected model: typeof OAuthClient = OAuthClient
  ) {}

  get connectionName(): string {
    return this.client().connectionName
  }

  /** Every token request passes here, so it goes past the model. */
  async find(id: string) {
    const sql = 'SELECT * FROM oauth_clients WHERE id = ?'
    const [row] = await selectRows(this.client(), sql, [id])
    return row ? new Client(clientRows.read(row)) : null
  }

  async findMany(ids: string[]) {
    return toClients(await this.#query().whereIn('id', ids))
  }

  async list() {
    return toClients(await this.#query().orderBy('createdAt', 'desc').orderBy('id'))
  }

  async insert(client: Client) {
    await this.model.create({ ...client } as object, modelOptions(this.client()))
  }

  update(id: string, { redirectUris, openid, ...changes }: ClientChanges) {
    return this.#change(id, {
      ...changes,
      ...(redirectUris && { redirectUris: JSON.stringify(redirectUris) }),
      ...(openid !== undefined && { openid: openid && JSON.stringify(openid) }),
    })
  }

  async saveDocument(client: Client) {
    const row = clientRows.write(client)
    const { sql, bindings } = insertion('oauth_clients', row, undefined, REPLACE_DOCUMENT)
    await selectRows(this.client(), sql, bindings)
  }

  revoke(id: string) {
    return this.#change(id, { revoked: true })
  }

  async keepUntil(ids: string[], purgeAt: number) {
    const clients = this.#query().whereIn('id', ids).whereNotNull('purgeAt')
    return affectedRows(await clients.update({ purgeAt }))
  }

  async findUnused(until: number, limit: number) {
    const rows = await this.#unused(until).select('id').orderBy('purgeAt').limit(limit)
    return rows.map(({ id }) => id)
  }

  async deleteUnused(ids: string[], until: number) {
    return affectedRows(await this.#unused(until).whereIn('id', ids).delete())
  }

  async #change(id: string, changes: object) {
    return affectedRows(await this.#query().where({ id, revoked: false }).update(changes)) > 0
  }

  #unused(until: number) {
    return this.#query().where('purgeAt', '<=', until).where('revoked', false)
  }

  #query() {
    return this.model.query({ client: this.client() })
  }
}

const toClients = (rows: OAuthClient[]) => rows.map((row) => new Client(row))
