import ts from 'typescript'

import { bindings, imports } from '#removal/code/references'
import {
  type Edit,
  applyEdits,
  declaredNames,
  deletion,
  isExported,
  itemDeletion,
  parse,
  walk,
} from '#removal/code/syntax'

/** How often each name occurs in a file. */
export const namesIn = (path: string, text: string) => countIn(parse(path, text))

function countIn(scope: ts.Node): Map<string, number> {
  const counts = new Map<string, number>()
  walk(scope, (node) => {
    if (ts.isPrivateIdentifier(node) || (ts.isIdentifier(node) && !isKey(node))) {
      counts.set(node.text, (counts.get(node.text) ?? 0) + 1)
    }
  })
  return counts
}

/** The name of a member is no use of a variable that has the same. */
function isKey(node: ts.Identifier): boolean {
  const { parent } = node
  return (
    (ts.isBindingElement(parent) && parent.propertyName === node) ||
    ((ts.isPropertyAccessExpression(parent) ||
      ts.isPropertyAssignment(parent) ||
      ts.isTypeElement(parent) ||
      ts.isClassElement(parent)) &&
      parent.name === node)
  )
}

/** Takes out declarations and imports that were used before, and no longer are; then what only they used. */
export function withoutUnused(
  path: string,
  original: string,
  before: ReadonlyMap<string, number>
): string {
  let text = original
  for (;;) {
    const now = namesIn(path, text)
    const isUnused = (name: string) => now.get(name) === 1 && (before.get(name) ?? 0) > 1
    const isRarer = (name: string) => (now.get(name) ?? 0) < (before.get(name) ?? 0)
    const edits = unusedIn(parse(path, text), isUnused, isRarer)
    if (!edits.length) {
      return text
    }
    text = applyEdits(text, edits)
  }
}

function unusedIn(
  file: ts.SourceFile,
  isUnused: (name: string) => boolean,
  isRarer: (name: string) => boolean
): Edit[] {
  const edits = imports(file).flatMap(({ declaration }) => unusedBindings(declaration, isUnused))
  walk(file, (node) => {
    const isDeclaration =
      ts.isVariableStatement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isClassDeclaration(node) ||
      ts.isInterfaceDeclaration(node) ||
      ts.isTypeAliasDeclaration(node)
    if (isDeclaration && !isExported(node)) {
      const names = declaredNames(node)
      if (names.length && names.every((name) => isUnused(name) || isAloneIn(node.parent, name))) {
        edits.push(deletion(node))
      }
    }
    if (ts.isParameter(node) && ts.isIdentifier(node.name) && isUnread(node, isRarer)) {
      edits.push({ start: node.name.getStart(), end: node.name.getStart(), text: '_' })
    }
    if (ts.isClassElement(node) && node.name && ts.isPrivateIdentifier(node.name)) {
      if (isUnused(node.name.text)) edits.push(deletion(node))
    }
    if (isLeftOut(node) && isUnused(node.name.text)) {
      edits.push(itemDeletion(node.parent.elements, node))
    }
  })
  return edits
}

/** A name that a pattern binds, where no rest of the object has what is not named. */
const isLeftOut = (node: ts.Node): node is ts.BindingElement & { name: ts.Identifier } =>
  ts.isBindingElement(node) &&
  ts.isIdentifier(node.name) &&
  !(node.parent.elements as ts.NodeArray<ts.Node>).some(
    (one) => ts.isBindingElement(one) && one.dotDotDotToken
  )

/** Whether a block names something only where it declares it. */
function isAloneIn(scope: ts.Node, name: string): boolean {
  return ts.isBlock(scope) && countIn(scope).get(name) === 1
}

/** Whether a function with a body no longer reads a parameter. The position stays: callers count on it. */
function isUnread(node: ts.ParameterDeclaration, isRarer: (name: string) => boolean): boolean {
  const { body } = node.parent as ts.FunctionLikeDeclaration
  const name = node.name.getText()
  const isNamed = name !== 'this' && !name.startsWith('_')
  return !!body && isNamed && !countIn(body).has(name) && isRarer(name)
}

function unusedBindings(
  declaration: ts.ImportDeclaration,
  isUnused: (name: string) => boolean
): Edit[] {
  const all = bindings(declaration)
  const unused = all.filter(({ local }) => isUnused(local))
  if (!unused.length || unused.length === all.length) {
    return unused.length ? [deletion(declaration)] : []
  }
  const used = all.filter((binding) => !unused.includes(binding))
  return [rewritten(declaration, used)]
}

/** The import with the bindings that are used. */
function rewritten(declaration: ts.ImportDeclaration, used: ReturnType<typeof bindings>): Edit {
  const clause = declaration.importClause!
  const isNamed = (node: ts.Node) => ts.isImportSpecifier(node)
  const named = used.filter(({ node }) => isNamed(node)).map(({ node }) => node.getText())
  const others = used.filter(({ node }) => !isNamed(node)).map(({ node }) => node.getText())
  const list = [...others, ...(named.length ? [`{ ${named.join(', ')} }`] : [])].join(', ')
  const type = clause.isTypeOnly ? 'type ' : ''
  return { start: clause.getStart(), end: clause.getEnd(), text: `${type}${list}` }
}
