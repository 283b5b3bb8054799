import vine from '@vinejs/vine'

import { Response } from '#mcp/response'
import { Tool } from '#mcp/tool'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })
const input = vine.create({ text: vine.string().maxLength(100_000) })

export default class CountWords extends Tool {
  static override name = 'count_words'
  static override title = 'Count words'
  static override description = 'Counts the words of a text, in any language.'
  static override annotations = { readOnlyHint: true, openWorldHint: false }

  static override schema() {
    return input
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: { words: { type: 'integer', minimum: 0 } },
      required: ['words'],
    }
  }

  handle({ text }: { text: string }) {
    let words = 0
    for (const { isWordLike } of segmenter.segment(text)) {
      words += isWordLike ? 1 : 0
    }
    return Response.structure({ words })
  }
}
