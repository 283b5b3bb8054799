import { BasePolicy } from '@adonisjs/bouncer'

import type Post from '#models/post'
import type User from '#models/user'
/* feature: workspaces */
import { resolveCurrent } from 'adonis-auth-kit/workspaces'
/* /feature */

/** Who may do what with posts: the same on pages, in the API and in tools. */
export default class PostPolicy extends BasePolicy {
  async write(_user: User): Promise<boolean> {
    /* feature: workspaces */
    const workspace = await resolveCurrent()
    if (workspace && !workspace.can('posts:write')) {
      return false
    }
    /* /feature */
    return true
  }

  /** A post is changed by its author, as long as they may write. */
  async change(user: User, post: Post): Promise<boolean> {
    /* feature: workspaces */
    const workspace = await resolveCurrent()
    if (workspace?.can('posts:manage')) {
      return true
    }
    /* /feature */
    return post.userId === user.id && this.write(user)
  }
}
