import { createHmac } from 'node:crypto'

import type { Owner } from '#auth/users'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { MaybePromise } from '#process/maybe_promise'

/** Gives the `sub` by which a client knows a user; null as the client for a token without one. */
export type SubjectOf = (user: Owner, clientId: string | null) => MaybePromise<string>

/** A user by the name of their user provider and their id: equal ids of two providers are different people. */
export const uniqueSubject = ({ provider, userId }: Owner) => `${provider}|${userId}`

/** Users are known by their ids, unless something else is agreed on. */
export const plainSubject: SubjectOf = ({ userId }) => userId

export function subjectsOf({ config, openid }: AuthorizationServer): SubjectOf {
  const ownSubject = config.uniqueSubjects ? uniqueSubject : plainSubject
  return openid ? (user, clientId) => openid.subjects.of(user, clientId) : ownSubject
}

/** Whether equal ids of several user providers have the same `sub`. OpenID Connect keeps them apart. */
export function hasSharedSubjects(
  config: { uniqueSubjects: boolean; openid: { enabled: boolean } },
  providers: readonly string[]
): boolean {
  return providers.length > 1 && !config.uniqueSubjects && !config.openid.enabled
}

/**
 * The identifiers by which clients know users: `sub` (OpenID Connect Core 1.0 §8). Equal ids of two
 * user providers are different people: users of the default one are known by their id, others by
 * `provider|id`; so is an id that looks like that, and every one with `uniqueSubjects`.
 */
export class Subjects {
  constructor(protected server: Pick<AuthorizationServer, 'manager' | 'repository' | 'config'>) {}

  async of(user: Owner, clientId: string | null): Promise<string> {
    const subject = this.#public(user)
    const salt = this.server.config.openid.pairwiseSalt?.release()
    if (!salt || clientId === null) {
      return subject
    }
    /* No look at its document is needed. */
    const client = await this.server.repository.find(clientId)
    const sector = client?.openid?.pairwiseSector
    if (!sector) {
      return subject
    }
    /* Clients of one sector know a user by the same subject. No two tuples have the same JSON. */
    const tuple = JSON.stringify([sector, subject])
    return createHmac('sha256', salt).update(tuple).digest('base64url')
  }

  #public(user: Owner): string {
    const { manager, config } = this.server
    const [provider, ...rest] = user.userId.split('|')
    const looksPrefixed = rest.length > 0 && manager.hasUsers(provider!)
    const isDefault = user.provider === manager.usersOf().name
    const isPlain = isDefault && !config.uniqueSubjects && !looksPrefixed
    return isPlain ? user.userId : uniqueSubject(user)
  }
}
