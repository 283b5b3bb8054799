import app from '@adonisjs/core/services/app'
import { getActiveTest } from '@japa/runner'

import type { AuthManager } from '#kit/auth/manager'
import { Background } from '#kit/process/background'

export function authManager(): Promise<AuthManager> {
  return app.container.make('auth_manager')
}

/** Resolves when everything that requests left behind is done. */
export async function afterReplies() {
  const background = await app.container.make(Background)
  await background.settled()
}

/** Sets a setting of `config/auth.ts` until the test ends. */
export async function configure(
  settings: Partial<
    Pick<
      AuthManager['config'],
      'default' | 'passwordResetNotifier' | 'debugExposeResetToken' | 'isBreachedPassword'
    >
  >
) {
  const { config } = await authManager()
  const original = { ...config }
  Object.assign(config, settings)
  getActiveTest()!.cleanup(() => {
    Object.assign(config, original)
  })
}

/** Counts password hashes that are made or compared while something runs. */
export async function countHashes(run: () => Promise<unknown>): Promise<number> {
  const { hasher } = await authManager()
  const { make, verify } = hasher
  let count = 0
  hasher.make = (...args: Parameters<typeof make>) => (count++, make.apply(hasher, args))
  hasher.verify = (...args: Parameters<typeof verify>) => (count++, verify.apply(hasher, args))
  try {
    await run()
  } finally {
    Object.assign(hasher, { make, verify })
  }
  return count
}

/** Ends the sessions of a person as soon as a request has shown one: the request goes on, and is slower than its end. */
export async function endSessionsOfRequests(user: object) {
  const manager = await authManager()
  const sessions = manager.feature('sessions')!
  const { find } = sessions
  sessions.find = async (id) => {
    const found = await find.call(sessions, id)
    await sessions.destroyAllOf(user, manager.usersOf())
    return found
  }
  return () => {
    sessions.find = find
  }
}
