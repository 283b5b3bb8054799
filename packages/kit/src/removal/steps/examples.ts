import { basename } from 'node:path/posix'

import string from '@adonisjs/core/helpers/string'

import { isDocument } from '#removal/steps/documents'
import type { Workspace } from '#removal/workspace'

const COMPILER = 'tests/helpers/document_compiler.ts'
const SPECIFIER = /'(#[\w/]+)'/g

/**
 * Examples in documents are compiled by a test. Those that use what is gone are
 * only read from now on; returns their documents.
 */
export function keepExamplesForReading(
  workspace: Workspace,
  isGone: (specifier: string, from: string) => boolean,
  signs: readonly string[],
  guards: readonly string[]
): string[] {
  const usesGone = (text: string) =>
    [...text.matchAll(SPECIFIER)].some(([, specifier]) => isGone(specifier!, COMPILER))
  const kept = new Set(namesOf([...workspace.paths]))
  const names = [...namesOf(workspace.removed).filter((name) => !kept.has(name)), ...signs]
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

  const documents = [...workspace.paths].filter(isDocument)
  return documents.filter((path) => {
    const text = workspace.read(path)
    const gone = new Set(names.filter((name) => /^\w+$/.test(name)))
    workspace.write(
      path,
      text.replaceAll(/^( *)```ts\n([\s\S]*?)\n\1```$/gm, (original) => {
        const block = withoutGuards(original, guards)
        const code = block.slice(block.indexOf('\n') + 1)
        if (isFile(code) || (!usesGone(code) && !usesAny(code, gone) && !namesAny(code, guards))) {
          return block
        }
        /* What a later block uses of this one is not there for the compiler either. */
        ;[...code.matchAll(DECLARATION)].forEach(([, name]) => gone.add(name!))
        return block.replace('```ts', '```typescript')
      })
    )
    return workspace.read(path) !== text
  })
}

/** A file of the reader's, by its first line: nobody compiles it here. */
const isFile = (code: string) => /^ *\/\/ [\w./*-]+\.ts\n/.test(code)

/** Lists of guards keep those that are left. */
const withoutGuards = (code: string, guards: readonly string[]) =>
  code.replaceAll(/(?<=\bguards(?::| =) \[)[^\]]+(?=\])/g, (list) => {
    const left = list.split(', ').filter((guard) => !guards.includes(guard.slice(1, -1)))
    return left.length ? left.join(', ') : list
  })

/** Whether code names a guard in another way, e.g. `use('api')`. */
const namesAny = (code: string, guards: readonly string[]) =>
  guards.some((guard) => code.includes(`'${guard}'`))

const DECLARATION = /^ *(?:export )?(?:default )?(?:async )?(?:class|const|function) (\w+)/gm

const usesAny = (code: string, names: ReadonlySet<string>) =>
  [...code.matchAll(/(?<![\w#/])\w+/g)].some(([name]) => names.has(name))

/** The classes of files, by the convention of their names: `post_resource.ts` has `PostResource`, `controllers.Posts` is a controller. */
const namesOf = (paths: readonly string[]) =>
  paths
    .filter((path) => /^app\/.*\.ts$/.test(path))
    .map((path) => string.pascalCase(basename(path, '.ts').replace(/_controller$/, '')))
