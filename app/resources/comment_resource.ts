import { JsonResource, toOne } from 'adonis-auth-kit/json_api'
import type Comment from '#models/comment'
import PostResource from '#resources/post_resource'
import UserResource from '#resources/user_resource'

export default class CommentResource extends JsonResource<Comment> {
  static hidden = [
    'id',
    'postId',
    'userId',
    // feature: workspaces
    'workspaceId',
    // /feature
  ]

  toRelationships() {
    return { author: toOne(() => UserResource), post: toOne(() => PostResource) }
  }
}
