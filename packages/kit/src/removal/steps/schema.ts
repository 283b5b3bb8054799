import string from '@adonisjs/core/helpers/string'
import ts from 'typescript'

import { withoutUnused, namesIn } from '#removal/code/unused'
import { applyEdits, deletion, itemDeletion, parse, walk } from '#removal/code/syntax'
import type { Workspace } from '#removal/workspace'

const CLASSES = 'database/schema.ts'
const RULES = 'database/schema_rules.ts'

/** Takes tables and columns out of the schema classes and their rules, as the next migration would write them. */
export function removeFromSchema(
  workspace: Workspace,
  tables: readonly string[],
  columns: Readonly<Record<string, readonly string[]>>
): void {
  const classes = new Set(tables.map(schemaClass))
  const members = new Map(
    Object.entries(columns).map(([table, names]) => [
      schemaClass(table),
      new Set(names.map((name) => string.camelCase(name))),
    ])
  )
  workspace.edit(CLASSES, (text) => {
    const file = parse(CLASSES, text)
    const edits = file.statements.filter(ts.isClassDeclaration).flatMap((node) => {
      const name = node.name!.text
      return classes.has(name) ? [deletion(node)] : memberEdits(node, members.get(name))
    })
    const left = withoutUnused(CLASSES, applyEdits(text, edits), namesIn(CLASSES, text))
    return left.replaceAll(/\n{3,}/g, '\n\n').trimEnd() + '\n'
  })

  const names = new Set([...tables, ...Object.values(columns).flat()])
  workspace.edit(RULES, (text) => {
    const edits: ReturnType<typeof deletion>[] = []
    walk(parse(RULES, text), (node) => {
      if (ts.isPropertyAssignment(node) && names.has(node.name.getText())) {
        edits.push(itemDeletion(node.parent.properties, node))
      }
    })
    return withoutUnused(RULES, applyEdits(text, edits), namesIn(RULES, text))
  })
}

const schemaClass = (table: string) => `${string.pascalCase(string.singular(table))}Schema`

/** A column is a member, and an entry of the list of columns. */
function memberEdits(node: ts.ClassDeclaration, columns?: ReadonlySet<string>) {
  return node.members.flatMap((member) => {
    const name = member.name!.getText()
    if (columns?.has(name)) {
      return [deletion(member)]
    }
    const edits: ReturnType<typeof deletion>[] = []
    if (columns && name === '$columns') {
      walk(member, (item) => {
        if (ts.isStringLiteral(item) && columns.has(item.text)) {
          edits.push(itemDeletion((item.parent as ts.ArrayLiteralExpression).elements, item))
        }
      })
    }
    return edits
  })
}
