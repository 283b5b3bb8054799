import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import type { UserOf } from '#auth/authenticators'
import type { PasskeyDetails } from '#passkeys/passkeys'

/** What a signed-in person does with their own passkeys. New and removed ones are security events, of which they are told by mail. */
export class AccountPasskeys {
  async list(user: UserOf): Promise<PasskeyDetails[]> {
    const { passkeys, users } = await services()
    return passkeys.list(user, users)
  }

  /** What the browser needs to make a passkey. */
  async options(ctx: HttpContext, user: UserOf) {
    const { passkeys, users } = await services()
    return passkeys.creationOptions(user, users, ctx)
  }

  /** Registers a passkey; null when the browser's answer is not valid. */
  async register(ctx: HttpContext, user: UserOf, name: string, answer: Record<string, unknown>) {
    const { passkeys, users } = await services()
    return passkeys.register(user, users, { name, answer }, ctx)
  }

  /** Gives a passkey another name; false when the person has none with this id. */
  async rename(user: UserOf, id: string, name: string): Promise<boolean> {
    const { passkeys, users } = await services()
    return passkeys.rename(user, users, id, name)
  }

  /** Removes a passkey; false when the person has none with this id. */
  async remove(ctx: HttpContext, user: UserOf, id: string): Promise<boolean> {
    const { passkeys, users } = await services()
    return (await passkeys.remove(user, users, id, ctx)) !== null
  }
}

async function services() {
  const manager = await app.container.make('auth_manager')
  return { passkeys: manager.feature('passkeys')!, users: manager.usersOf() }
}
