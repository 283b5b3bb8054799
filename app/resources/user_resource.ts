import { HttpContext } from '@adonisjs/core/http'

import { JsonResource } from 'adonis-auth-kit/json_api'
import type User from '#models/user'

export default class UserResource extends JsonResource<User> {
  toAttributes() {
    const { fullName, createdAt } = this.resource
    return { fullName, createdAt, ...(this.#isViewer && { email: this.resource.email }) }
  }

  /** The e-mail address is for its owner alone. */
  get #isViewer() {
    const viewer = HttpContext.get()?.auth.user
    return viewer !== null && viewer !== undefined && String(viewer.id) === String(this.resource.id)
  }
}
