import { extname } from 'node:path/posix'

import ts from 'typescript'

/** A part of a text that is replaced. */
export interface Edit {
  start: number
  end: number
  text: string
}

const KINDS: Record<string, ts.ScriptKind> = {
  '.js': ts.ScriptKind.JS,
  '.json': ts.ScriptKind.JSON,
}

/** A file as a tree, whose nodes know their parents. A stub is read as TypeScript. */
export const parse = (path: string, text: string) =>
  ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
    KINDS[extname(path)] ?? ts.ScriptKind.TS
  )

/** Calls back for a node and everything below it. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}

/** Applies edits. One that lies inside another is left out: the outer one decides. Two neighbours of a list overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const sorted = [...edits].sort((one, other) => one.start - other.start || other.end - one.end)
  let result = ''
  let position = 0
  for (const edit of sorted) {
    if (edit.start >= position) {
      result += text.slice(position, edit.start) + edit.text
    }
    position = Math.max(position, edit.end)
  }
  return result + text.slice(position)
}

/** Where a node begins with the comments that belong to it: those without an empty line behind them. */
export function startWithComments(node: ts.Node): number {
  const { text } = node.getSourceFile()
  const comments = ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []
  let start = node.getStart()
  for (const { pos, end } of comments.reverse()) {
    if (/\n[ \t]*\r?\n/.test(text.slice(end, start))) {
      break
    }
    start = pos
  }
  return start
}

/** Deletes a node with its comments and the rest of its line. */
export function deletion(node: ts.Node): Edit {
  const { text } = node.getSourceFile()
  const rest = /[ \t]*\n?/y
  rest.lastIndex = node.getEnd()
  const [tail] = rest.exec(text)!
  return { start: startWithComments(node), end: node.getEnd() + tail.length, text: '' }
}

/** Deletes an item of a list with its separator. */
export function itemDeletion(items: ts.NodeArray<ts.Node>, item: ts.Node): Edit {
  const index = items.indexOf(item)
  const next = items[index + 1]
  if (next) {
    return { start: startWithComments(item), end: startWithComments(next), text: '' }
  }
  const previous = items[index - 1]
  return {
    start: previous ? previous.getEnd() : startWithComments(item),
    end: items.hasTrailingComma ? items.end : item.getEnd(),
    text: '',
  }
}

/** The names that a declaration binds, also by a pattern. */
export function boundNames(name: ts.BindingName): string[] {
  return ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) =>
        ts.isBindingElement(element) ? boundNames(element.name) : []
      )
}

/** Whether an identifier stands for what it names: not the key of a property, nor what follows a dot. */
export function isReference(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) || ts.isQualifiedName(parent)) {
    return (ts.isPropertyAccessExpression(parent) ? parent.expression : parent.left) === node
  }
  if (ts.isBindingElement(parent)) {
    return parent.initializer === node
  }
  return !(
    (ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isParameter(parent) ||
      ts.isVariableDeclaration(parent)) &&
    parent.name === node
  )
}

/** Whether a statement is visible to other files. */
export function isExported(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)
  )
}

/** The names by which other files know a statement: `default` for a default export. */
export function exportedNames(node: ts.Node): string[] {
  if (ts.isExportAssignment(node)) {
    return ['default']
  }
  if (!isExported(node)) {
    return []
  }
  const isDefault = ts
    .getModifiers(node as ts.FunctionDeclaration)!
    .some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
  return isDefault ? ['default'] : declaredNames(node)
}

/** The names that a statement declares. */
export function declaredNames(node: ts.Node): string[] {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.flatMap(({ name }) => boundNames(name))
  }
  const { name } = node as ts.NamedDeclaration
  return name && ts.isIdentifier(name) ? [name.text] : []
}
