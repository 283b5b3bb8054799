import { JsonResource, toMany, toOne } from 'adonis-auth-kit/json_api'
import type Post from '#models/post'
import CommentResource from '#resources/comment_resource'
import UserResource from '#resources/user_resource'

export default class PostResource extends JsonResource<Post> {
  static hidden = [
    'id',
    'userId',
    // feature: workspaces
    'workspaceId',
    // /feature
  ]

  toRelationships() {
    return { author: toOne(() => UserResource), comments: toMany(() => CommentResource) }
  }
}
