import { readdirSync, readFileSync } from 'node:fs'

import app from '@adonisjs/core/services/app'

/** A fenced block of a document. */
export interface CodeBlock {
  document: string
  /** The line on which its code begins, from 1. */
  line: number
  language: string
  code: string
}

const FENCE = /^```(\w+)\n([\s\S]*?)^```$/gm

/** The documents of the repository that hold code. */
export const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'UPGRADING.md',
  ...readdirSync(app.makePath('docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The fenced blocks of one document. */
export function pageBlocks(document: string): CodeBlock[] {
  const text = readFileSync(app.makePath(document), 'utf8')
  return [...text.matchAll(FENCE)].map((match) => ({
    document,
    line: text.slice(0, match.index).split('\n').length + 1,
    language: match[1]!,
    code: match[2]!,
  }))
}

/** The fenced blocks of all documents in one language. */
export function codeBlocks(language: string): CodeBlock[] {
  return DOCUMENTS.flatMap(pageBlocks).filter((block) => block.language === language)
}
