import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { modelOptions } from '#support/model_client'
import { affectedRows, selectRows } from '#support/raw_query'
import OAuthClient from '#oauth2/models/oauth_client'
import { Client } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'

const SELECT = 'SELECT * FROM oauth_clients WHERE id = ?'

/** Clients in the table `oauth_clients`, through the Lucid model `OAuthClient`. */
export class OrmClientRepository implements ClientRepository {
  readonly #client: () => QueryClientContract

  /** @param client gives the connection that the table is on */
  constructor(client: () => QueryClientContract) {
    this.#client = client
  }

  /** Name of the connection that the clients are on. */
  get connectionName(): string {
    return this.#client().connectionName
  }

  /** Every token request passes here, so it goes past the model. */
  async find(id: string) {
    const [row] = await selectRows(this.#client(), SELECT, [id])
    return row
      ? new Client({
          id: row.id as string,
          name: row.name as string,
          secretHash: row.secret_hash as string | null,
          redirectUris: JSON.parse(row.redirect_uris as string),
          grantTypes: JSON.parse(row.grant_types as string),
          scopes: JSON.parse(row.scopes as string),
          provider: row.provider as string | null,
          revoked: Boolean(row.revoked),
          createdAt: Number(row.created_at),
        })
      : null
  }

  async findMany(ids: string[]) {
    const rows = await OAuthClient.query({ client: this.#client() }).whereIn('id', ids)
    return rows.map((row) => new Client(row))
  }

  async insert(client: Client) {
    await OAuthClient.create(
      {
        id: client.id,
        name: client.name,
        secretHash: client.secretHash,
        redirectUris: [...client.redirectUris],
        grantTypes: [...client.grantTypes],
        scopes: [...client.scopes],
        provider: client.provider,
        revoked: client.revoked,
        createdAt: client.createdAt,
      },
      modelOptions(this.#client())
    )
  }

  async revoke(id: string) {
    const result = await OAuthClient.query({ client: this.#client() })
      .where({ id, revoked: false })
      .update({ revoked: true })
    return affectedRows(result) > 0
  }
}
