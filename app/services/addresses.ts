import type { Addresses } from 'adonis-auth-kit/email_verification'
import type User from '#models/user'
import { affectedRows, isUniqueViolation } from 'adonis-auth-kit/database'

/** The model is imported when it is used: config files are read before models can be. */
async function userModel() {
  const { default: User } = await import('#models/user')
  return User
}

/** How users carry their e-mail addresses: the columns of the table `users`. */
export const addresses: Addresses<User> = {
  current: ({ email }) => email,
  isVerified: ({ emailVerifiedAt }) => emailVerifiedAt !== null && emailVerifiedAt !== undefined,
  proposed: ({ proposedEmail }) => proposedEmail ?? null,
  fingerprint: ({ password }) => password,

  async verify(user, email) {
    return update(user, { email, emailVerifiedAt: null }, { emailVerifiedAt: Date.now() })
  },

  async propose(user, email) {
    const User = await userModel()
    const query = User.query().where({ id: user.id })
    if (email !== null && email !== user.proposedEmail) {
      void query.where((row) => row.whereNull('proposedEmail').orWhereNot('proposedEmail', email))
    }
    const isChanged = affectedRows(await query.update({ proposedEmail: email })) > 0
    user.merge({ proposedEmail: email }).$hydrateOriginals()
    return isChanged
  },

  async adopt(user, email) {
    const values = { email, proposedEmail: null, emailVerifiedAt: Date.now() }
    try {
      return await update(user, { proposedEmail: email }, values)
    } catch (error) {
      if (isUniqueViolation(error)) {
        return false
      }
      throw error
    }
  },

  async isTaken(email) {
    const User = await userModel()
    return (await User.findBy({ email })) !== null
  },
}

/** Changes the row if it still is as expected, and the model with it. Says whether it was. */
async function update(user: User, expected: Record<string, string | null>, values: Partial<User>) {
  const User = await userModel()
  const isChanged =
    affectedRows(
      await User.query()
        .where({ id: user.id, ...expected })
        .update(values)
    ) > 0
  if (isChanged) {
    user.merge(values).$hydrateOriginals()
  }
  return isChanged
}
