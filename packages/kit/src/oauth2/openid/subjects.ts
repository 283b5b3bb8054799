import { createHmac } from 'node:crypto'

import type { Owner } from '#auth/users'
import type { AuthManager } from '#auth/manager'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import type { ResolvedOpenIdConfig } from '#oauth2/settings'
import { uniqueSubject } from '#oauth2/tokens/subject'

/**
 * The identifiers by which clients know users: `sub` (OpenID Connect Core 1.0 §8).
 *
 * - A user of the default guard's user provider is known by their id.
 * - A user of another provider is known by the provider's name, `|` and the id,
 *   because equal ids of two providers are different people.
 * - An id of the default provider that looks like the latter gets the name as well.
 * - With `uniqueSubjects` every id has the name.
 * - A client with pairwise subjects knows each user by another name than every other client.
 */
export class Subjects {
  constructor(
    protected services: {
      manager: Pick<AuthManager, 'usersOf' | 'hasUsers'>
      /** Where clients are found without a look at their documents. */
      clients: Pick<ClientRepository, 'find'>
      config: Pick<ResolvedOpenIdConfig, 'pairwiseSalt'> & { uniqueSubjects?: boolean }
    }
  ) {}

  /** @param clientId null for a token without a client */
  async of(user: Owner, clientId: string | null): Promise<string> {
    const subject = this.#public(user)
    const salt = this.services.config.pairwiseSalt?.release()
    if (!salt || clientId === null) {
      return subject
    }
    const client = await this.services.clients.find(clientId)
    const sector = client?.openid?.pairwiseSector
    return sector ? pairwise(subject, sector, salt) : subject
  }

  #public(user: Owner): string {
    const { manager, config } = this.services
    const isDefault = user.provider === manager.usersOf().name
    const isPlain = isDefault && !config.uniqueSubjects && !this.#looksPrefixed(user.userId)
    return isPlain ? user.userId : uniqueSubject(user)
  }

  #looksPrefixed(userId: string): boolean {
    const [provider, ...rest] = userId.split('|')
    return rest.length > 0 && this.services.manager.hasUsers(provider!)
  }
}

/** Clients of one sector know a user by the same subject. The tuple is JSON, so that no two tuples have the same text. */
function pairwise(subject: string, sector: string, salt: string): string {
  return createHmac('sha256', salt)
    .update(JSON.stringify([sector, subject]))
    .digest('base64url')
}
