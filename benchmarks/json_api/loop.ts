/** What someone would write who knows this one document. */
export function loop(posts: any[], timeOf: (value: any) => string) {
  const seen = new Set<string>()
  const included: object[] = []
  const author = (user: any) => {
    if (!seen.has(`users ${user.id}`)) {
      seen.add(`users ${user.id}`)
      const attributes = { fullName: user.fullName }
      included.push({ type: 'users', id: String(user.id), attributes })
    }
    return { data: { type: 'users', id: String(user.id) } }
  }
  const data = posts.map((post) => ({
    type: 'posts',
    id: String(post.id),
    attributes: { title: post.title, body: post.body, createdAt: timeOf(post.createdAt) },
    relationships: {
      author: author(post.author),
      comments: {
        data: post.comments.map((comment: any) => {
          if (!seen.has(`comments ${comment.id}`)) {
            seen.add(`comments ${comment.id}`)
            included.push({
              type: 'comments',
              id: String(comment.id),
              attributes: { body: comment.body, createdAt: timeOf(comment.createdAt) },
              relationships: { author: author(comment.author) },
            })
          }
          return { type: 'comments', id: String(comment.id) }
        }),
      },
    },
  }))
  return JSON.stringify({ data, included })
}
