import ts from 'typescript'

import { parse, walk } from '#removal/code/syntax'
import type { Workspace } from '#removal/workspace'

const CONFIG = 'config/auth.ts'

/** The names of the guards in `config/auth.ts`, with the functions that make them. */
function guardsOf(workspace: Workspace): Map<string, string> {
  const guards = new Map<string, string>()
  walk(parse(CONFIG, workspace.read(CONFIG)), (node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'guards') {
      for (const guard of (node.initializer as ts.ObjectLiteralExpression).properties) {
        const { initializer } = guard as ts.PropertyAssignment
        if (initializer && ts.isCallExpression(initializer)) {
          guards.set(guard.name!.getText(), initializer.expression.getText())
        }
      }
    }
  })
  return guards
}

/** The guards that some functions make. */
export function guardsMadeBy(workspace: Workspace, makers: ReadonlySet<string>): string[] {
  return [...guardsOf(workspace)].filter(([, maker]) => makers.has(maker)).map(([name]) => name)
}

/** Names the first guard that is left as the default one, when that was taken out; returns it, or null when there is none. */
export function keepDefaultGuard(workspace: Workspace, removed: readonly string[]): string | null {
  const [first] = guardsOf(workspace).keys()
  workspace.edit(CONFIG, (text) =>
    text.replace(/(default: \{[^}]*?guard: ')(\w+)(')/, (all, before, name, after) =>
      first && removed.includes(name) ? before + first + after : all
    )
  )
  return first ?? null
}
