import type { HttpContext } from '@adonisjs/core/http'

import { generateIdentifier, generateSecret, hashSecret } from '#security/secrets'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { ServerPart } from '#oauth2/server_part'
import type { RegisteredKeys } from '#oauth2/clients/assertions'
import { type ClientFields, type ClientChanges, Client, isClientName } from '#oauth2/clients/client'
import type { ClientMetadata } from '#oauth2/clients/client_metadata'
import { purgeAtOf, purgeUnused, useClient } from '#oauth2/clients/unused_clients'
import { type OpenIdRegistration, toClientOpenId } from '#oauth2/openid/client_settings'
import { isScopeToken } from '#auth/challenge'
import { assertArgument, assertKind } from '#config/checks'
import { MAX_KEY } from '#database/key'
import { assertRedirectUri } from '#oauth2/clients/client_urls'
import { ANY_SCOPE } from '#oauth2/scopes'

/** Printable, so that no look-up by it can trouble a database. */
const CLIENT_ID = /^[\x21-\x7e]{1,255}$/

/** What a client is registered with, and whether it gets a secret, unless it has keys. */
export type NewClient = Omit<ClientFields, 'id' | 'createdAt'> & {
  confidential: boolean
  keys?: RegisteredKeys | null
}

type Options = Pick<NewClient, 'keys' | 'firstParty' | 'requirePushed' | 'refreshGracePeriod'>

type Registered = [client: Client, secret: string | null]

/** The rules about clients, over any repository: `manager.clientRepository`. */
export class Clients extends ServerPart {
  readonly repository = this.server.repository

  /** The client with this id, unless it is unknown or revoked. */
  async find(id: string): Promise<Client | null> {
    return unlessRevoked(await this.findRegistered(id))
  }

  /** The same, with a metadata document as it is now. @throws {AuthError} when it cannot be had */
  async findForAuthorization(id: string, ctx: HttpContext): Promise<Client | null> {
    return unlessRevoked(await this.findRegistered(id, ctx))
  }

  /** Whether the next authorization request of this client makes its document be fetched. */
  async needsFetch(id: string): Promise<boolean> {
    const { documents } = this.server
    const mayBeClient = CLIENT_ID.test(id) && documents.accepts(id)
    return mayBeClient && documents.needsFetch(await this.repository.find(id))
  }

  /** The client with this id, revoked or not. @param ctx an authorization request; null for one with what was issued */
  async findRegistered(id: string, ctx: HttpContext | null = null): Promise<Client | null> {
    if (!CLIENT_ID.test(id)) {
      return null
    }
    const row = await this.repository.find(id)
    const client = await this.#current(id, row, ctx)
    if (!client || client.revoked || (await useClient(this.repository, client))) {
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
    const { documents } = this.server
    return ctx ? documents.forAuthorization(id, row, ctx) : documents.forIssued(id, row)
  }

  /** Clients by their id, the revoked ones among them. */
  async findMany(ids: string[]): Promise<Map<string, Client>> {
    const clients = ids.length ? await this.repository.findMany([...new Set(ids)]) : []
    return new Map(clients.map((client) => [client.id, client]))
  }

  /**
   * Registers a client (RFC 6749 §2).
   * @param grantTypes empty allows every enabled grant
   * @param scopes empty allows the whole catalogue
   * @param provider name of the user provider whose users it acts for
   * @param options.keys its public keys: it authenticates by `private_key_jwt`, and has no secret
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
    { openid, ...options }: Options & { openid?: OpenIdRegistration } = {}
  ): Promise<Registered> {
    const fields = { ...options, name, redirectUris, confidential, grantTypes, scopes, provider }
    assertRegistrable(fields, openid, this.server)
    return this.#insert(fields, openid)
  }

  /** Registers a client by the metadata that it sent itself (RFC 7591). It is deleted when nobody uses it. */
  registerDynamically({ openid, ...metadata }: ClientMetadata, confidential: boolean) {
    const name = metadata.name ?? 'Unnamed client'
    const purgeAt = purgeAtOf(Date.now())
    const source = 'registration' as const
    return this.#insert({ ...metadata, name, scopes: [], confidential, source, purgeAt }, openid)
  }

  async #insert(
    { confidential, keys, name, redirectUris, ...fields }: NewClient,
    openid: OpenIdRegistration | undefined
  ): Promise<Registered> {
    const secret = confidential && !keys ? generateSecret() : null
    const id = generateIdentifier()
    const client = new Client({
      ...{ ...fields, ...keys, id, name },
      openid: openid && toClientOpenId(openid, { id, redirectUris }),
      secretHash: secret && hashSecret(secret),
      redirectUris: [...new Set(redirectUris)],
      grantTypes: [...new Set(fields.grantTypes)],
      scopes: [...new Set(fields.scopes)],
      createdAt: Date.now(),
    })
    await this.repository.insert(client)
    this.server.announce('oauth2:client_registered', { clientId: id, name, confidential })
    return [client, secret]
  }

  /** Deletes clients that nobody here registered and nobody uses; returns how many. */
  purge(now: number): Promise<number> {
    return purgeUnused(this.repository, this.server.tokens, now)
  }

  /**
   * Gives a client another secret. The present one goes on working for a while, so that every
   * instance of the client can be told in time.
   * @param overlap seconds that the present secret goes on working; 0 for a secret that has leaked
   * @returns the new secret, which is shown this once
   * @throws {InvalidArgumentsException} as every change does: for an unknown or revoked client, and for bad values
   */
  async rotateSecret(id: string, overlap: number): Promise<string> {
    assertSeconds('overlap', overlap)
    const { secretHash, hasKeys } = await this.#changeable(id)
    const kind = hasKeys ? 'client with keys of its own' : 'public client'
    assertArgument(secretHash !== null, `A ${kind} has no secret`)
    const secret = generateSecret()
    const changes = {
      secretHash: hashSecret(secret),
      previousSecretHash: overlap ? secretHash : null,
      previousSecretExpiresAt: overlap ? Date.now() + overlap * 1000 : null,
    }
    await this.#update(id, changes, secretHash)
    return secret
  }

  async changeRedirectUris(id: string, redirectUris: string[]): Promise<void> {
    redirectUris.forEach(assertRedirectUri)
    await this.#changeable(id)
    await this.#update(id, { redirectUris: [...new Set(redirectUris)] })
  }

  /** Replaces the logout URIs (OpenID Connect). The kind of subject stays: clients know users by it. */
  async changeLogoutUris(
    id: string,
    uris: Pick<OpenIdRegistration, 'postLogoutRedirectUris' | 'backchannelLogoutUri'>
  ): Promise<void> {
    const client = await this.#changeable(id)
    const pairwiseSector = client.openid?.pairwiseSector ?? null
    const openid = toClientOpenId(uris, client)
    const none = { postLogoutRedirectUris: [], backchannelLogoutUri: null }
    await this.#update(id, {
      openid: openid || pairwiseSector ? { ...none, ...openid, pairwiseSector } : null,
    })
  }

  /** The metadata document of a client says what it is: changes here would be undone. */
  async #changeable(id: string): Promise<Client> {
    const client = await this.repository.find(id)
    assertArgument(client && !client.revoked, 'There is no such client, or it is revoked')
    const isOurs = client.source !== 'document'
    assertArgument(isOurs, 'This client is described by its metadata document')
    return client
  }

  async #update(id: string, changes: ClientChanges, secretHash?: string) {
    const isUpdated = await this.repository.update(id, changes, secretHash)
    assertArgument(isUpdated, 'The client has been revoked, or given another secret, meanwhile')
  }

  /**
   * Revokes a client, so that no token is issued to it any more, and then all that was issued to it.
   * Doing so again does what an interrupted revocation left undone.
   * @returns false when there is no such client, or it was revoked before
   */
  async revoke(id: string): Promise<boolean> {
    if (!CLIENT_ID.test(id) || !(await this.repository.find(id))) {
      return false
    }
    const { tokens, announce } = this.server
    const revoked = await this.repository.revoke(id)
    await tokens.revokeAll({ clientId: id }, Date.now())
    revoked && announce('oauth2:token_revoked', { jti: null, clientId: id, userId: null })
    return revoked
  }
}

/** Checks what the command or code registers a client with. @throws {InvalidArgumentsException} */
function assertRegistrable(
  client: NewClient,
  openid: OpenIdRegistration | undefined,
  { grants, catalogue, manager, config }: AuthorizationServer
): void {
  const { name, redirectUris, grantTypes, scopes, provider, refreshGracePeriod } = client
  assertArgument(isClientName(name), 'A client needs a name of 1 to 255 visible characters')
  for (const setting of ['redirectUris', 'grantTypes', 'scopes'] as const) {
    assertKind('Client', setting, client[setting], 'a list of values that are set')
  }
  redirectUris.forEach(assertRedirectUri)
  const unknown = grantTypes.find((grantType) => !grants.identifiers.includes(grantType))
  const missing = `There is no grant type "${unknown}". Use ${grants.identifiers.join(', ')}`
  assertArgument(unknown === undefined, missing)
  const tooMuch = 'A client must never be given the scope "*": it satisfies every scope check'
  assertArgument(!scopes.includes(ANY_SCOPE), tooMuch)
  const foreign = scopes.find((scope) => !isScopeToken(scope) || !catalogue.knows(scope))
  const unlisted = `The scope "${foreign}" is not in the scope catalogue of config/scopes.ts`
  assertArgument(foreign === undefined, unlisted)
  const hasUsers = typeof provider !== 'string' || manager.hasUsers(provider)
  assertArgument(hasUsers, `There is no user provider "${provider}" in config/auth.ts`)
  const hasSalt = !openid?.pairwise || config.openid.pairwiseSalt !== null
  assertArgument(hasSalt, 'Pairwise subjects need a salt: set OAUTH_PAIRWISE_SALT')
  const canPush = !client.requirePushed || config.pushedRequests.enabled
  assertArgument(canPush, 'Requests cannot be pushed: set OAUTH_PAR=true')
  assertSeconds('grace period', refreshGracePeriod ?? 0)
}

/** An integer column has to hold them, as it does keys. @throws {InvalidArgumentsException} */
function assertSeconds(name: string, seconds: number) {
  const isPeriod = Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_KEY
  assertArgument(isPeriod, `The ${name} is a whole number of seconds up to ${MAX_KEY}, or 0`)
}

const unlessRevoked = (client: Client | null) => (client?.revoked ? null : client)
