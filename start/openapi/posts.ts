import { dateTime, describeRoutes, orNull, PAGE, text } from 'adonis-auth-kit/openapi'
import CommentResource from '#resources/comment_resource'
import PostResource from '#resources/post_resource'
import UserResource from '#resources/user_resource'

const attributes = { title: 'Cats', body: 'They sleep.' }
const times = { createdAt: dateTime, updatedAt: orNull(dateTime) }

/** start/posts.ts; `jsonApiResource` tells the rest. */
export default describeRoutes(
  'Posts',
  {
    'GET /posts': PAGE,
    'GET /posts/:id': PAGE,
    'POST /api/posts': {
      summary: 'Write a post',
      example: { data: { type: 'posts', attributes } },
    },
    'POST /api/operations': {
      summary: 'Several writes at once, or none of them',
      example: { 'atomic:operations': [{ op: 'add', data: { type: 'posts', attributes } }] },
    },
    'PATCH /api/posts/:id': {
      summary: 'Change a post of the caller',
      example: { data: { type: 'posts', id: '1', attributes: { title: 'Dogs' } } },
    },
  },
  [
    [PostResource, { title: text, body: text, ...times }],
    [CommentResource, { body: text, ...times }],
    [UserResource, { fullName: orNull(text), email: text, createdAt: dateTime }],
  ]
)
