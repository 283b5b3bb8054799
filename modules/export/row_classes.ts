import ts from 'typescript'

import { parse } from '#removal/code/syntax'

const PATH = 'database/schema.ts'

/**
 * The row classes that exported models extend, out of those that Lucid has generated here. The
 * other application's own generator may know no rules for their columns.
 */
export function rowClasses(schema: string, names: ReadonlySet<string>): string {
  const { statements } = parse(PATH, schema)
  const kept = statements.filter(
    (statement) =>
      ts.isImportDeclaration(statement) ||
      (ts.isClassDeclaration(statement) && names.has(statement.name!.text))
  )
  const [imports, classes] = [
    kept.filter(ts.isImportDeclaration),
    kept.filter(ts.isClassDeclaration),
  ]
  const code = classes.map((node) => node.getText()).join('\n\n')
  const used = imports
    .map((node) => node.getText())
    .filter((text) => namesOf(text).some((name) => new RegExp(`\\b${name}\\b`).test(code)))
  return `${used.join('\n')}\n\n${code}\n`
}

/** The names that files take from the generated classes. */
export function rowClassesIn(text: string): string[] {
  const [, names = ''] = /import \{([^}]+)\} from '#database\/schema'/.exec(text) ?? []
  return names.split(',').flatMap((name) => name.trim() || [])
}

function namesOf(importText: string): string[] {
  return /\{([^}]+)\}/
    .exec(importText)![1]!
    .split(',')
    .map((name) => name.trim())
}
