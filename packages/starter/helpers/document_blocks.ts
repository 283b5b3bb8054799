import { globSync, readFileSync } from 'node:fs'

import app from '@adonisjs/core/services/app'

/** A fenced block of a document. */
export interface CodeBlock {
  document: string
  /** The line on which its code begins, from 1. */
  line: number
  language: string
  code: string
}

/** Inside a list a block is indented. */
const FENCE = /^( *)```(\w+)\n([\s\S]*?)^\1```$/gm

/** The documents of the repository that hold code. */
export const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'UPGRADING.md',
  'AGENTS.md',
  ...globSync(['docs/*.md', '.agents/skills/*/SKILL.md'], { cwd: app.makePath() }).sort(),
]

/** The fenced blocks of one document. */
export function pageBlocks(document: string): CodeBlock[] {
  const text = readFileSync(app.makePath(document), 'utf8')
  return [...text.matchAll(FENCE)].map((match) => ({
    document,
    line: text.slice(0, match.index).split('\n').length + 1,
    language: match[2]!,
    code: match[3]!.replaceAll(new RegExp(`^${match[1]}`, 'gm'), ''),
  }))
}

/** The fenced blocks of all documents in one language. */
export function codeBlocks(language: string): CodeBlock[] {
  return DOCUMENTS.flatMap(pageBlocks).filter((block) => block.language === language)
}
