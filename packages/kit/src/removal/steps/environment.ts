import ts from 'typescript'

import { applyEdits, itemDeletion, parse, walk } from '#removal/code/syntax'
import { namesIn, withoutUnused } from '#removal/code/unused'
import type { Workspace } from '#removal/workspace'

/** Files that set variables, with comments above them. `.env` is a person's own, and loses them too. */
const FILES = ['.env', '.env.example', '.env.test', 'compose.yaml']

/** Takes variables out of the environment, and out of the lists of settings that tests go through. */
export function removeVariables(workspace: Workspace, names: readonly string[]): void {
  for (const path of FILES) {
    workspace.edit(path, (text) => withoutVariables(text, new Set(names)))
  }
  workspace.edit('start/env.ts', (text) =>
    withoutKeys('start/env.ts', text, (key) => names.includes(key))
  )
}

/**
 * Takes settings out of their config files, and settings and variables out of the table of settings.
 *
 * @param settings names of config files, or of settings in one
 */
export function removeSettings(
  workspace: Workspace,
  settings: readonly string[],
  variables: readonly string[]
): void {
  for (const setting of settings) {
    for (const path of copiesOf(workspace, `config/${setting.split('.')[0]}.ts`)) {
      workspace.edit(path, (text) =>
        withoutUnused(path, withoutSetting(path, text, setting), namesIn(path, text))
      )
    }
  }
  const isGone = (key: string) =>
    variables.includes(key) ||
    settings.some((setting) => key === setting || key.startsWith(`${setting}.`))
  const path = 'tests/helpers/settings_matrix.ts'
  workspace.edit(path, (text) =>
    withoutUnused(path, withoutKeys(path, text, isGone), namesIn(path, text))
  )
}

/** A config file, and what `provider:publish` writes as this file. */
function copiesOf(workspace: Workspace, config: string): string[] {
  const isCopy = (path: string) =>
    path.startsWith('stubs/publish/') && path.endsWith(`/${config}.stub`)
  return [config, ...[...workspace.paths].filter(isCopy)]
}

/** A property, or a method, of the object that a config file makes. */
function withoutSetting(path: string, text: string, setting: string): string {
  const edits: ReturnType<typeof itemDeletion>[] = []
  walk(parse(path, text), (node) => {
    if (!ts.isObjectLiteralElementLike(node) || !ts.isObjectLiteralExpression(node.parent)) {
      return
    }
    if (nameOf(node) === setting.replace(/^\w+\./, '')) {
      edits.push(itemDeletion(node.parent.properties, node))
    }
  })
  return applyEdits(text, edits)
}

/** The name of a setting with those of the settings that it is in. */
function nameOf(node: ts.Node): string {
  const outer = ts.findAncestor(node.parent, ts.isPropertyAssignment)
  const name = keyOf(node as ts.ObjectLiteralElementLike)
  return outer ? `${nameOf(outer)}.${name}` : name
}

const keyOf = ({ name }: ts.ObjectLiteralElementLike) =>
  name && ts.isStringLiteral(name) ? name.text : (name?.getText() ?? '')

/** A variable goes with the comments above it, unless another one shares them. */
export function withoutVariables(text: string, names: ReadonlySet<string>): string {
  const kept: string[] = []
  let comments: string[] = []
  for (const line of text.split('\n')) {
    const name = /^#?([A-Z][A-Z0-9_]*)=|^ +([A-Z][A-Z0-9_]*):/.exec(line)?.slice(1).find(Boolean)
    if (name && names.has(name)) {
      comments = []
    } else if (!name && line.startsWith('#')) {
      comments.push(line)
    } else {
      kept.push(...comments, line)
      comments = []
    }
  }
  return [...kept, ...comments].join('\n').replace(/\n{3,}/g, '\n\n')
}

function withoutKeys(path: string, text: string, isGone: (key: string) => boolean): string {
  const edits: ReturnType<typeof itemDeletion>[] = []
  walk(parse(path, text), (node) => {
    if (!ts.isPropertyAssignment(node)) {
      return
    }
    if (isGone(keyOf(node))) {
      edits.push(itemDeletion(node.parent.properties, node))
    }
  })
  return applyEdits(text, edits)
}
