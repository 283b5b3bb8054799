import hash from '@adonisjs/core/services/hash'
import { beforeCreate, beforeSave } from '@adonisjs/lucid/orm'

import { UserSchema } from '#database/schema'

/** A person with an account. */
export default class User extends UserSchema {
  @beforeCreate()
  static activate(user: User) {
    user.isActive ??= true
  }

  @beforeSave()
  static async hashPassword(user: User) {
    if (user.$dirty.password) {
      user.password = await hash.make(user.password)
    }
  }

  /** What the application tells a person about their own account. */
  toProfile() {
    return { id: this.id, email: this.email, full_name: this.fullName ?? null }
  }
}
