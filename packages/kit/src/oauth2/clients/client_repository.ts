import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import type { MaybePromise } from '#process/maybe_promise'
import { type ClientChanges, type ClientRow, Client } from '#oauth2/clients/client'
import { affectedRows, insertion, modelOptions, selectRows } from '#database/raw_query'
import { RowCodec, kindsOf } from '#database/raw_rows'
import { OauthClientSchema } from '#database/schema'
import OAuthClient from '#oauth2/models/oauth_client'

/** Where clients live. Methods may be sync or async, and are atomic. */
export interface ClientRepository {
  /** The client with this id, revoked or not. */
  find(id: string): MaybePromise<Client | null>

  /** The clients with these ids, in any order; unknown ones are left out. */
  findMany(ids: string[]): MaybePromise<Client[]>

  /** Every client, the newest first. */
  list(): MaybePromise<Client[]>

  insert(client: Client): MaybePromise<void>

  /** Changes a client; false when it is unknown or revoked, or has another `secretHash` than the one given. */
  update(id: string, changes: ClientChanges, secretHash?: string): MaybePromise<boolean>

  /**
   * Inserts a client as its metadata document describes it, or replaces an older copy, but for
   * `revoked` and `createdAt`. A client of another source is left as it is.
   */
  saveDocument(client: Client): MaybePromise<void>

  /** Marks the client as revoked; false when it is unknown or already revoked. */
  revoke(id: string): MaybePromise<boolean>

  /** Sets when clients are deleted that nobody here registered, and returns how many of these there are. */
  keepUntil(ids: string[], purgeAt: number): MaybePromise<number>

  /** Ids of clients whose `purgeAt` is at or before an instant, without revoked ones: they would come back. */
  findUnused(until: number, limit: number): MaybePromise<string[]>

  /** Deletes clients, each only if its `purgeAt` is still at or before the instant, and returns how many. */
  deleteUnused(ids: string[], until: number): MaybePromise<number>
}

/** Clients that live in the process: for tests and demos. */
export class InMemoryClientRepository implements ClientRepository {
  readonly #clients = new Map<string, Client>()

  find(id: string) {
    return this.#clients.get(id) ?? null
  }

  findMany(ids: string[]) {
    return ids.flatMap((id) => this.#clients.get(id) ?? [])
  }

  list() {
    return [...this.#clients.values()].sort((a, b) => b.createdAt - a.createdAt)
  }

  insert(client: Client) {
    this.#clients.set(client.id, client)
  }

  update(id: string, changes: ClientChanges & { revoked?: true }, secretHash?: string) {
    const client = this.find(id)
    if (!client || client.revoked || (secretHash && client.secretHash !== secretHash)) {
      return false
    }
    this.insert(new Client({ ...client, ...changes }))
    return true
  }

  saveDocument(client: Client) {
    const { source, revoked, createdAt } = this.find(client.id) ?? client
    if (source === 'document') {
      this.insert(new Client({ ...client, revoked, createdAt }))
    }
  }

  revoke(id: string) {
    return this.update(id, { revoked: true })
  }

  keepUntil(ids: string[], purgeAt: number) {
    const clients = this.findMany(ids).filter((client) => client.purgeAt !== null)
    clients.forEach((client) => this.insert(new Client({ ...client, purgeAt })))
    return clients.length
  }

  findUnused(until: number, limit: number) {
    const unused = [...this.#clients.values()].filter((client) => isUnused(client, until))
    return unused.slice(0, limit).map(({ id }) => id)
  }

  deleteUnused(ids: string[], until: number) {
    const unused = this.findMany(ids).filter((client) => isUnused(client, until))
    unused.forEach(({ id }) => this.#clients.delete(id))
    return unused.length
  }
}

function isUnused({ purgeAt, revoked }: Client, until: number) {
  return purgeAt !== null && purgeAt <= until && !revoked
}

const clientRows = new RowCodec<ClientRow>(kindsOf(OauthClientSchema))

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

  update(id: string, { redirectUris, openid, ...changes }: ClientChanges, secretHash?: string) {
    const row = {
      ...changes,
      ...(redirectUris && { redirectUris: JSON.stringify(redirectUris) }),
      ...(openid !== undefined && { openid: openid && JSON.stringify(openid) }),
    }
    return this.#change({ id, ...(secretHash && { secretHash }) }, row)
  }

  async saveDocument(client: Client) {
    const row = clientRows.write(client)
    const { sql, bindings } = insertion('oauth_clients', row, { conflict: REPLACE_DOCUMENT })
    await selectRows(this.client(), sql, bindings)
  }

  revoke(id: string) {
    return this.#change({ id }, { revoked: true })
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

  async #change(which: object, changes: object) {
    const changeable = this.#query().where({ ...which, revoked: false })
    return affectedRows(await changeable.update(changes)) > 0
  }

  #unused(until: number) {
    return this.#query().where('purgeAt', '<=', until).where('revoked', false)
  }

  #query() {
    return this.model.query({ client: this.client() })
  }
}

const toClients = (rows: OAuthClient[]) => rows.map((row) => new Client(row))
