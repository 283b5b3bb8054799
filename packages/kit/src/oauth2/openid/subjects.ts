import { createHmac } from 'node:crypto'

import type { Owner } from '#auth/users'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { MaybePromise } from '#process/maybe_promise'

/** Gives the `sub` by which a client knows a user; null as the client for a token without one. */
export type SubjectOf = (user: Owner, clientId: string | null) => MaybePromise<string>

/** Users are known by their ids, unless something else is agreed on. */
const plainSubject = ({ userId }: Owner) => userId

/** A user by the name of their user provider and their id: equal ids of two providers are different people. */
const uniqueSubject = ({ provider, userId }: Owner) => `${provider}|${userId}`

/** Whether equal ids of several user providers have the same `sub`. OpenID Connect keeps them apart. */
export function hasSharedSubjects(
  config: { uniqueSubjects: boolean; openid: { enabled: boolean } },
  providers: readonly string[]
): boolean {
  return providers.length > 1 && !config.uniqueSubjects && !config.openid.enabled
}

/**
 * The identifiers by which clients know users: `sub` (OpenID Connect Core 1.0 §8). Equal ids of two
 * user providers are different people. So with OpenID Connect, users of the default one are known by their
 * id, others by `provider|id`; so is an id that looks like that, and every one with `uniqueSubjects`.
 */
export function subjectsOf({
  config: { openid, uniqueSubjects },
  manager,
  repository,
}: Pick<AuthorizationServer, 'manager' | 'repository' | 'config'>): SubjectOf {
  const distinct = (user: Owner) => {
    const [provider, ...rest] = user.userId.split('|')
    const looksPrefixed = rest.length > 0 && manager.hasUsers(provider!)
    const isPlain = user.provider === manager.usersOf().name && !looksPrefixed
    return isPlain ? user.userId : uniqueSubject(user)
  }
  const unpaired = uniqueSubjects ? uniqueSubject : openid.enabled ? distinct : plainSubject
  const salt = openid.enabled ? openid.pairwiseSalt?.release() : undefined
  return async (user, clientId) => {
    const subject = unpaired(user)
    /* No look at its document is needed. */
    const client = salt && clientId !== null ? await repository.find(clientId) : null
    const sector = client?.openid?.pairwiseSector
    /* Clients of one sector know a user by the same subject. No two tuples have the same JSON. */
    const tuple = JSON.stringify([sector, subject])
    return sector ? createHmac('sha256', salt!).update(tuple).digest('base64url') : subject
  }
}
