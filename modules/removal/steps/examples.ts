import { basename } from 'node:path/posix'

import { isDocument } from '#removal/steps/documents'
import type { Workspace } from '#removal/workspace'

const COMPILER = 'tests/helpers/document_compiler.ts'
const SPECIFIER = /'(#[\w/]+)'/g

/**
 * Examples in documents are compiled by a test. Where one of a document uses what
 * is gone, all of them are only read from now on; returns these documents.
 */
export function keepExamplesForReading(
  workspace: Workspace,
  isGone: (specifier: string, from: string) => boolean,
  signs: readonly string[]
): string[] {
  const usesGone = (text: string) =>
    [...text.matchAll(SPECIFIER)].some(([, specifier]) => isGone(specifier!, COMPILER))
  const names = [...removedNames(workspace.removed), ...signs]
  workspace.edit(COMPILER, (text) =>
    text
      .split('\n')
      .filter((line) => {
        const name = /^ {2}(\w+): `/.exec(line)?.[1]
        if (!name || !usesGone(line)) return true
        names.push(name)
        return false
      })
      .join('\n')
  )

  const uses = new RegExp(
    `(?<![\\w#/])(?:${names.filter((name) => /^\w+$/.test(name)).join('|')})(?!\\w)`
  )
  const documents = [...workspace.paths].filter(isDocument)
  return documents.filter((path) => {
    const text = workspace.read(path)
    const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)\n```/gm)].map(([, code]) => code!)
    if (!blocks.some((code) => usesGone(code) || uses.test(code))) {
      return false
    }
    workspace.write(path, text.replaceAll(/^```ts$/gm, '```typescript'))
    return true
  })
}

/** The classes of files, by the convention of their names: `post_resource.ts` has `PostResource`. */
const removedNames = (paths: readonly string[]) =>
  paths
    .filter((path) => /^app\/.*\.ts$/.test(path))
    .map((path) =>
      basename(path, '.ts').replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
    )
