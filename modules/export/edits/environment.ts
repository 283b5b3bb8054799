import { randomBytes } from 'node:crypto'

import ts from 'typescript'

import { append, argumentsOf, editNode } from '#export/edits/lists'
import type { Target } from '#export/target'
import { parse, walk } from '#removal/code/syntax'

const VALIDATIONS = 'start/env.ts'

/**
 * Adds variables: to `start/env.ts`, to `.env.example` with the comments above them, and to `.env` a
 * fresh key.
 *
 * @param own the text of `start/env.ts` and `.env.example` of this repository
 */
export function editEnvironment(
  target: Target,
  own: { validations: string; example: string },
  variables: ReadonlySet<string>
): void {
  const { workspace } = target
  const known = workspace.paths.has(VALIDATIONS) ? propertyNames(workspace.read(VALIDATIONS)) : []
  const missing = [...variables].filter((name) => !known.includes(name))
  const lines = missing.map((name) => propertyOf(own.validations, name))
  target.edit(
    VALIDATIONS,
    (text) =>
      lines.length
        ? editNode(VALIDATIONS, text, (node) => {
            const schema = argumentsOf(node, 'Env.create')[1]
            return schema && ts.isObjectLiteralExpression(schema)
              ? append(schema, lines)
              : undefined
          })
        : text,
    {
      task: 'Add to the second argument of Env.create',
      lines: lines.map((line) => `${line},`).join('\n'),
    }
  )
  const blocks = missing.map((name) => blockOf(own.example, name)).filter(Boolean)
  addLines(target, '.env.example', blocks)
  if (missing.includes('OAUTH_KEY')) {
    addLines(target, '.env', [`OAUTH_KEY=${randomBytes(32).toString('base64url')}`])
  }
}

function addLines({ workspace }: Target, path: string, lines: readonly string[]) {
  workspace.edit(path, (text) =>
    lines.length ? `${text.trimEnd()}\n\n${lines.join('\n')}\n` : text
  )
}

function propertyNames(text: string): string[] {
  const names: string[] = []
  walk(parse(VALIDATIONS, text), (node) => {
    if (ts.isObjectLiteralElementLike(node) && node.name) {
      names.push(node.name.getText())
    }
  })
  return names
}

/** The property of a variable, as `start/env.ts` of this repository has it. */
function propertyOf(validations: string, variable: string): string {
  let found: string | undefined
  walk(parse(VALIDATIONS, validations), (node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === variable) {
      found = node.getText()
    }
  })
  if (found === undefined) {
    throw new Error(`start/env.ts does not know ${variable}`)
  }
  return found
}

/** A variable with the comments above it; empty when `.env.example` has none. */
function blockOf(example: string, variable: string): string {
  const lines = example.split('\n')
  const at = lines.findIndex((line) => new RegExp(`^#?${variable}=`).test(line))
  if (at < 0) {
    return ''
  }
  let start = at
  while (/^# /.test(lines[start - 1] ?? '')) {
    start--
  }
  return lines.slice(start, at + 1).join('\n')
}
