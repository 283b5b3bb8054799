import { hashSecret } from '#security/secrets'
import type { MaybePromise } from '#process/maybe_promise'
import type { LiveSession, SessionRecord, SessionStore } from '#session/types'

/**
 * Writes under the key of a session, also when a request at the same time has given the session a new id.
 * @returns false when the session was destroyed meanwhile
 */
export async function writeUnderKey(
  store: SessionStore,
  { id, record }: LiveSession,
  write: (key: string) => MaybePromise<boolean>
): Promise<boolean> {
  const tried = new Set<string>()
  let key: string | undefined = hashSecret(id)
  while (key !== undefined && !tried.has(key)) {
    if (await write(key)) {
      return true
    }
    tried.add(key)
    key = await findKey(store, record)
  }
  return false
}

/** The key of a user's session, by the name that stays when its id changes. */
async function findKey(store: SessionStore, { userId, guard, login }: SessionRecord) {
  if (userId === null || guard === null || !login) {
    return undefined
  }
  const sessions = await store.listFor(userId, [guard])
  return sessions.find((session) => session.login?.sid === login.sid)?.key
}
