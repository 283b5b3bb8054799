import vine from '@vinejs/vine'

import { type Arguments, Response, Tool } from 'adonis-auth-kit/mcp'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

export default class CountWords extends Tool<typeof CountWords> {
  static override name = 'count_words'
  static override title = 'Count words'
  static override description = 'Counts the words of a text, in any language.'
  static override annotations = { readOnlyHint: true, openWorldHint: false }

  static override schema() {
    return vine.create({ text: vine.string().maxLength(100_000) })
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: { words: { type: 'integer', minimum: 0 } },
      required: ['words'],
    } as const
  }

  handle({ text }: Arguments<typeof CountWords>) {
    let words = 0
    for (const { isWordLike } of segmenter.segment(text)) {
      words += isWordLike ? 1 : 0
    }
    return Response.structure({ words })
  }
}
