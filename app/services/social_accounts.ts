import app from '@adonisjs/core/services/app'

import type User from '#models/user'
import type { SocialAccounts } from 'adonis-auth-kit/social'

/** The model is imported when it is used: config files are read before models can be. */
async function userModel() {
  const { default: User } = await import('#models/user')
  return User
}

/** How accounts of the table `users` are found and made by a sign-in through a provider. */
export const socialAccounts: SocialAccounts<User> = {
  async find(email) {
    const User = await userModel()
    return User.findBy({ email })
  },

  address: ({ email }) => email,

  /** Quietly: the password is hashed already, because no transaction waits for a hash. */
  async create(account, client) {
    const User = await userModel()
    const values = { ...account, isActive: true, emailVerifiedAt: Date.now() }
    return User.createQuietly(values, { client })
  },
}

/** How a person can sign in, for the page of their account. */
export async function signInMethodsOf(user: User) {
  const { manager, social, users } = await services()
  const passkeys = await manager.feature('passkeys')?.list(user, users)
  const identities = await social.identities.list(user, users)
  const connected = await social.identities.connected(user, users)
  return {
    hasPassword: await social.identities.hasPassword(user, users),
    passkeys: passkeys?.length ?? 0,
    identities: identities.map((one) =>
      Object.assign(one, { label: labelOf(connected, one.name) })
    ),
    /** Providers that are not connected. */
    others: social.providers.filter(({ name }) => connected.every((one) => one.name !== name)),
  }
}

/** A provider that is not set up any more is called by its name. */
function labelOf(providers: { name: string; label: string }[], name: string) {
  return providers.find((one) => one.name === name)?.label ?? name
}

export async function services() {
  const manager = await app.container.make('auth_manager')
  return { manager, social: manager.feature('social')!, users: manager.usersOf() }
}
