import { createHmac } from 'node:crypto'

import type { Owner } from '#auth/users'
import type { AuthManager } from '#auth/manager'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import type { ResolvedOpenIdConfig } from '#oauth2/settings'
import { uniqueSubject } from '#oauth2/tokens/subject'

/**
 * The identifiers by which clients know users: `sub` (OpenID Connect Core 1.0 §8). Equal ids of two
 * user providers are different people: users of the default one are known by their id, others by
 * `provider|id`; so is an id that looks like that, and every one with `uniqueSubjects`.
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
    if (!sector) {
      return subject
    }
    /* Clients of one sector know a user by the same subject. No two tuples have the same JSON. */
    const tuple = JSON.stringify([sector, subject])
    return createHmac('sha256', salt).update(tuple).digest('base64url')
  }

  #public(user: Owner): string {
    const { manager, config } = this.services
    const [provider, ...rest] = user.userId.split('|')
    const looksPrefixed = rest.length > 0 && manager.hasUsers(provider!)
    const isDefault = user.provider === manager.usersOf().name
    const isPlain = isDefault && !config.uniqueSubjects && !looksPrefixed
    return isPlain ? user.userId : uniqueSubject(user)
  }
}
