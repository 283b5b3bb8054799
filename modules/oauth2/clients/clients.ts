import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { generateIdentifier, generateSecret, hashSecret } from '#support/secrets'
import { Client } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { assertRedirectUri } from '#oauth2/clients/redirect_uri'
import type { Announce } from '#oauth2/events'
import { ANY_SCOPE, type ScopeCatalogue } from '#oauth2/scopes'
import type { TokenStore } from '#oauth2/tokens/token_store'

/** Printable, so that no look-up by it can trouble a database. */
const CLIENT_ID = /^[\x21-\x7e]{1,255}$/

/**
 * A name is shown to who approves the client. Without control characters, and
 * without those that nobody sees or that turn the text around: zero-width,
 * bidirectional, line separators and fillers.
 */
const NAME =
  /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]{1,255}$/u

/** The rules about clients, over any repository: `manager.clientRepository`. */
export class Clients {
  constructor(
    readonly repository: ClientRepository,
    protected rules: {
      catalogue: ScopeCatalogue
      /** Identifiers of the grants there are, enabled or not. */
      grantTypes: () => string[]
      hasUsers: (provider: string) => boolean
      tokens: TokenStore
      announce: Announce
    }
  ) {}

  /** The client with this id, unless it is unknown or revoked. */
  async find(id: string): Promise<Client | null> {
    const client = await this.findRegistered(id)
    return client && !client.revoked ? client : null
  }

  /** The client with this id, revoked or not. */
  async findRegistered(id: string): Promise<Client | null> {
    return CLIENT_ID.test(id) ? this.repository.find(id) : null
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
   * @returns the client and its secret, which is shown this once; null for a public client
   * @throws {InvalidArgumentsException} when a value is not acceptable
   */
  async register(
    name: string,
    redirectUris: string[] = [],
    confidential: boolean = true,
    grantTypes: string[] = [],
    scopes: string[] = [],
    provider: string | null = null
  ): Promise<[client: Client, secret: string | null]> {
    if (!NAME.test(name) || !name.trim()) {
      throw new InvalidArgumentsException('A client needs a name of 1 to 255 visible characters')
    }
    redirectUris.forEach(assertRedirectUri)
    this.#assertGrantTypes(grantTypes)
    this.#assertScopes(scopes)
    if (provider !== null && !this.rules.hasUsers(provider)) {
      throw new InvalidArgumentsException(
        `There is no user provider "${provider}" in config/auth.ts`
      )
    }

    const secret = confidential ? generateSecret() : null
    const client = new Client({
      id: generateIdentifier(),
      name,
      secretHash: secret && hashSecret(secret),
      redirectUris: [...new Set(redirectUris)],
      grantTypes: [...new Set(grantTypes)],
      scopes: [...new Set(scopes)],
      provider,
      revoked: false,
      createdAt: Date.now(),
    })
    await this.repository.insert(client)
    this.rules.announce('oauth2:client_registered', { clientId: client.id, name, confidential })
    return [client, secret]
  }

  /**
   * Revokes a client together with everything that was issued to it. The client
   * comes first: no token is issued to it from then on. Revoking it again does
   * what an interrupted revocation left undone.
   *
   * @returns false when there is no such client, or it was revoked before
   */
  async revoke(id: string): Promise<boolean> {
    if (!(await this.findRegistered(id))) {
      return false
    }
    const revoked = await this.repository.revoke(id)
    await this.rules.tokens.revokeAll({ clientId: id }, Date.now())
    this.rules.announce('oauth2:token_revoked', { jti: null, clientId: id, userId: null })
    return revoked
  }

  #assertGrantTypes(grantTypes: string[]) {
    const unknown = grantTypes.find((grantType) => !this.rules.grantTypes().includes(grantType))
    if (unknown !== undefined) {
      throw new InvalidArgumentsException(
        `There is no grant type "${unknown}". Use ${this.rules.grantTypes().join(', ')}`
      )
    }
  }

  #assertScopes(scopes: string[]) {
    if (scopes.includes(ANY_SCOPE)) {
      throw new InvalidArgumentsException(
        'A client must never be given the scope "*": it satisfies every scope check'
      )
    }
    for (const scope of scopes) {
      try {
        this.rules.catalogue.assertKnown([scope])
      } catch {
        throw new InvalidArgumentsException(
          `The scope "${scope}" is not in the scope catalogue of config/oauth2.ts`
        )
      }
    }
  }
}
