import type { Owner } from '#auth/users'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { MaybePromise } from '#process/maybe_promise'

/** Gives the `sub` by which a client knows a user; null as the client for a token without one. */
export type SubjectOf = (user: Owner, clientId: string | null) => MaybePromise<string>

/** A user by the name of their user provider and their id: equal ids of two providers are different people. */
export const uniqueSubject = ({ provider, userId }: Owner) => `${provider}|${userId}`

/** Users are known by their ids, unless something else is agreed on. */
export const plainSubject: SubjectOf = ({ userId }) => userId

/** How the users of a server are known. */
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
