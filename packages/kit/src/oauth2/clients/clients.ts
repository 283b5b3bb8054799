import type { HttpContext } from '@adonisjs/core/http'

import { generateIdentifier, generateSecret, hashSecret } from '#security/secrets'
import type { Services } from '#oauth2/authorization_server'
import type { RegisteredKeys } from '#oauth2/clients/assertions/registered_keys'
import { Client, type ClientSource } from '#oauth2/clients/client'
import type { ClientMetadata } from '#oauth2/clients/client_metadata'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { assertGracePeriod, assertRegistrable } from '#oauth2/clients/registration_rules'
import { UnusedClients } from '#oauth2/clients/unused_clients'
import {
  type OpenIdRegistration,
  assertServed,
  toClientOpenId,
} from '#oauth2/openid/client_settings'

/** Printable, so that no look-up by it can trouble a database. */
const CLIENT_ID = /^[\x21-\x7e]{1,255}$/

/** The rules about clients, over any repository: `manager.clientRepository`. */
export class Clients {
  readonly repository: ClientRepository
  readonly #unused: UnusedClients

  constructor(
    protected services: Services<
      | 'repository'
      | 'catalogue'
      | 'grants'
      | 'manager'
      | 'documents'
      | 'tokens'
      | 'config'
      | 'announce'
    >
  ) {
    this.repository = services.repository
    this.#unused = new UnusedClients(services.repository, services.tokens)
  }

  /** The client with this id, unless it is unknown or revoked. */
  async find(id: string): Promise<Client | null> {
    const client = await this.findRegistered(id)
    return client && !client.revoked ? client : null
  }

  /**
   * The client with this id for an authorization request, unless it is unknown or
   * revoked. A client with a metadata document is as its document says now.
   *
   * @throws {AuthError} when the document cannot be fetched, or is not valid
   */
  async findForAuthorization(id: string, ctx: HttpContext): Promise<Client | null> {
    const client = await this.#find(id, ctx)
    return client && !client.revoked ? client : null
  }

  /** Whether the next authorization request of this client makes its document be fetched. */
  async needsFetch(id: string): Promise<boolean> {
    const { documents } = this.services
    return (
      CLIENT_ID.test(id) &&
      documents.accepts(id) &&
      documents.needsFetch(await this.repository.find(id))
    )
  }

  /** The client with this id, revoked or not. */
  findRegistered(id: string): Promise<Client | null> {
    return this.#find(id, null)
  }

  /** @param ctx an authorization request; null for a request with what was issued to the client */
  async #find(id: string, ctx: HttpContext | null): Promise<Client | null> {
    if (!CLIENT_ID.test(id)) {
      return null
    }
    const row = await this.repository.find(id)
    const client = await this.#current(id, row, ctx)
    if (!client || client.revoked || (await this.#unused.use(client))) {
      return client
    }
    /* It was deleted after it had been read. A document brings it back. */
    return this.#current(id, null, ctx)
  }

  /** A row that was registered speaks for itself; any other one is judged by its document. */
  async #current(id: string, row: Client | null, ctx: HttpContext | null): Promise<Client | null> {
    if (row && (row.source !== 'document' || row.revoked)) {
      return row
    }
    const { documents } = this.services
    return ctx ? documents.forAuthorization(id, row, ctx) : documents.forIssued(id, row)
  }

  /** Clients by their id, without those that are revoked. */
  async findActive(ids: string[]): Promise<Map<string, Client>> {
    const clients = ids.length ? await this.repository.findMany([...new Set(ids)]) : []
    return new Map(clients.filter(({ revoked }) => !revoked).map((client) => [client.id, client]))
  }

  /** Names of clients by their id, the revoked ones among them. */
  async names(ids: string[]): Promise<Map<string, string>> {
    const clients = ids.length ? await this.repository.findMany([...new Set(ids)]) : []
    return new Map(clients.map(({ id, name }) => [id, name]))
  }

  /**
   * Registers a client (RFC 6749 §2).
   *
   * @param confidential whether it gets a secret
   * @param grantTypes empty allows every enabled grant
   * @param scopes empty allows the whole catalogue
   * @param provider name of the user provider whose users it acts for
   * @param options.keys its public keys: it authenticates by `private_key_jwt`, and has no secret
   * @param options.firstParty whether it belongs to whoever runs this server: nobody is asked to allow it
   * @param options.requirePushed whether it has to push its authorization requests (RFC 9126)
   * @param options.openid its logout URIs and kind of subject (OpenID Connect)
   * @returns the client and its secret, which is shown this once; null for a public client, and one with keys
   * @throws {InvalidArgumentsException} when a value is not acceptable
   */
  async register(
    name: string,
    redirectUris: string[] = [],
    confidential: boolean = true,
    grantTypes: string[] = [],
    scopes: string[] = [],
    provider: string | null = null,
    {
      firstParty = false,
      requirePushed = false,
      refreshGracePeriod,
      keys,
      openid,
    }: {
      firstParty?: boolean
      requirePushed?: boolean
      /** Its own `refreshTokenGracePeriod`, in seconds. */
      refreshGracePeriod?: number
      keys?: RegisteredKeys
      openid?: OpenIdRegistration
    } = {}
  ): Promise<[client: Client, secret: string | null]> {
    assertRegistrable({ name, redirectUris, grantTypes, scopes, provider }, this.services)
    assertServed(openid, this.services.config.openid)
    assertGracePeriod(refreshGracePeriod)
    return this.#insert({
      name,
      redirectUris,
      grantTypes,
      scopes,
      provider,
      confidential,
      firstParty,
      requirePushed,
      refreshGracePeriod,
      openid,
      keys,
    })
  }

  /** Registers a client by the metadata that it sent itself (RFC 7591). It is deleted when nobody uses it. */
  registerDynamically(
    { name, redirectUris, grantTypes, requirePushed, keys, openid }: ClientMetadata,
    confidential: boolean
  ): Promise<[client: Client, secret: string | null]> {
    return this.#insert({
      name: name ?? 'Unnamed client',
      redirectUris,
      grantTypes,
      scopes: [],
      provider: null,
      confidential,
      requirePushed,
      keys,
      source: 'registration',
      purgeAt: UnusedClients.purgeAt(Date.now()),
      openid,
    })
  }

  async #insert(fields: {
    name: string
    redirectUris: string[]
    grantTypes: string[]
    scopes: string[]
    provider: string | null
    confidential: boolean
    firstParty?: boolean
    requirePushed?: boolean
    refreshGracePeriod?: number
    keys?: RegisteredKeys | null
    source?: ClientSource
    purgeAt?: number
    openid?: OpenIdRegistration
  }): Promise<[client: Client, secret: string | null]> {
    const { name, confidential, keys, redirectUris, grantTypes, scopes, openid, ...rest } = fields
    const secret = confidential && !keys ? generateSecret() : null
    const id = generateIdentifier()
    const client = new Client({
      ...rest,
      ...keys,
      id,
      openid: openid && toClientOpenId(openid, { id, redirectUris }),
      name,
      secretHash: secret && hashSecret(secret),
      redirectUris: [...new Set(redirectUris)],
      grantTypes: [...new Set(grantTypes)],
      scopes: [...new Set(scopes)],
      revoked: false,
      createdAt: Date.now(),
    })
    await this.repository.insert(client)
    this.services.announce('oauth2:client_registered', { clientId: client.id, name, confidential })
    return [client, secret]
  }

  /** Deletes clients that nobody here registered and nobody uses; returns how many. */
  purge(now: number): Promise<number> {
    return this.#unused.purge(now)
  }

  /**
   * Revokes a client together with everything that was issued to it. The client
   * comes first: no token is issued to it from then on. Revoking it again does
   * what an interrupted revocation left undone.
   *
   * @returns false when there is no such client, or it was revoked before
   */
  async revoke(id: string): Promise<boolean> {
    if (!CLIENT_ID.test(id) || !(await this.repository.find(id))) {
      return false
    }
    const revoked = await this.repository.revoke(id)
    await this.services.tokens.revokeAll({ clientId: id }, Date.now())
    this.services.announce('oauth2:token_revoked', { jti: null, clientId: id, userId: null })
    return revoked
  }
}
