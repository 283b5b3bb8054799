import { Argument, Prompt, Response } from 'adonis-auth-kit/mcp'
import { findPost, markdownOf, suggestIds } from '#services/posts'

const STYLES = ['one sentence', 'bullet points', 'a short paragraph', 'for a newsletter']

export default class SummarizePost extends Prompt {
  static override name = 'summarize_post'
  static override title = 'Summarize a post'
  static override description = 'Asks for a summary of a blog post.'

  static override arguments() {
    return [
      new Argument({ name: 'id', description: 'Id of the post', required: true }),
      new Argument({ name: 'style', description: 'What the summary should look like' }),
    ]
  }

  async handle({ id, style = STYLES[0] }: { id: string; style?: string }) {
    const post = await findPost(id)
    if (!post) {
      return Response.error('There is no post with this id')
    }
    return Response.of(
      Response.resource({
        uri: `blog://posts/${id}`,
        mimeType: 'text/markdown',
        text: markdownOf(post),
      }),
      Response.text(`Summarize this post. The summary should be: ${style}.`)
    )
  }

  override async complete(argument: string, value: string) {
    return argument === 'id' ? suggestIds(value) : STYLES.filter((style) => style.startsWith(value))
  }
}
