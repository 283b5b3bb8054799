import type { UserKey } from '#oauth2/tokens/token_store'
import type { MaybePromise } from '#support/maybe_promise'

/** Gives the `sub` by which a client knows a user; null as the client for a token without one. */
export type SubjectOf = (user: UserKey, clientId: string | null) => MaybePromise<string>

/** Users are known by their ids, unless something else is agreed on. */
export const plainSubject: SubjectOf = ({ userId }) => userId
