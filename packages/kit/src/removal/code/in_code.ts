import ts from 'typescript'

import { type Removable, part, statement } from '#removal/code/removable'
import { type Edit, deletion, itemDeletion, startWithComments } from '#removal/code/syntax'

/** The smallest part around a node that code can do without: a member of a list or an object, an operand, a statement. */
export function removableInCode(dead: ts.Node): Removable {
  let child = dead
  let isNegated = false
  for (let node = dead.parent; !ts.isSourceFile(node); child = node, node = node.parent) {
    isNegated ||= isNegation(node)
    const found = isNegated
      ? functionAt(node)
      : (memberOf(node, child) ?? branchOf(node, child) ?? declarationAt(node))
    if (found) {
      return found
    }
  }
  return statement(child)
}

const isNegation = (node: ts.Node) =>
  ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken

/** A function that asks first whether something is there is for nothing without it. */
const functionAt = (node: ts.Node) =>
  ts.isFunctionDeclaration(node) || ts.isClassElement(node) ? declarationAt(node) : null

/** A member of a list or an object, also of a type. */
export function memberOf(node: ts.Node, child: ts.Node): Removable | null {
  /* The row of a table goes as a whole. */
  if (ts.isArrayLiteralExpression(node) && !ts.isArrayLiteralExpression(node.parent)) {
    return part(itemDeletion(node.elements, child))
  }
  /* A preload of `adonisrc.ts` is nothing without its file. */
  const isFile = ts.isPropertyAssignment(child) && child.name.getText() === 'file'
  if (ts.isObjectLiteralExpression(node) && !(isFile && ts.isArrayLiteralExpression(node.parent))) {
    return part(itemDeletion(node.properties, child))
  }
  if (ts.isUnionTypeNode(node)) {
    return part(itemDeletion(node.types, child))
  }
  /* One of the modules that a function loads: `together(() => import('…'), …)`. */
  if (ts.isCallExpression(node) && node.arguments.length > 1 && node.arguments.every(isLoader)) {
    return part(itemDeletion(node.arguments, child))
  }
  return null
}

const isLoader = (node: ts.Node) =>
  ts.isArrowFunction(node) &&
  ts.isCallExpression(node.body) &&
  node.body.expression.kind === ts.SyntaxKind.ImportKeyword

/** What is left of a choice when one side, or its condition, is gone. */
function branchOf(node: ts.Node, child: ts.Node): Removable | null {
  if (ts.isBinaryExpression(node) && ALTERNATIVES.has(node.operatorToken.kind)) {
    return part(replacement(node, node.left === child ? node.right : node.left))
  }
  if (ts.isConditionalExpression(node)) {
    return part(replacement(node, node.whenFalse === child ? node.whenTrue : node.whenFalse))
  }
  if (ts.isIfStatement(node) && node.expression === child) {
    return part(
      node.elseStatement ? replacement(node, withoutBraces(node.elseStatement)) : deletion(node)
    )
  }
  return null
}

/** What a block does, unless it declares something: that would be seen by others. */
function withoutBraces(node: ts.Statement): ts.Node | readonly ts.Node[] {
  const isPlain = ts.isBlock(node) && !node.statements.some(ts.isVariableStatement)
  return isPlain ? node.statements : node
}

const ALTERNATIVES = new Set([ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken])

const replacement = (node: ts.Node, by: ts.Node | readonly ts.Node[]): Edit => ({
  start: node.getStart(),
  end: node.getEnd(),
  text: [by].flat().map(textWithComments).join('\n'),
})

const textWithComments = (node: ts.Node) =>
  node.getSourceFile().text.slice(startWithComments(node), node.getEnd())

/** A function without its parameter or its result goes as a whole; private members take what uses them along. */
function declarationAt(node: ts.Node): Removable | null {
  if (ts.isParameter(node) || ts.isReturnStatement(node) || ts.isBlock(node)) {
    return null
  }
  if (ts.isClassElement(node) || ts.isTypeElement(node)) {
    const { name } = node
    const names = name && ts.isPrivateIdentifier(name) ? [name.text] : []
    return { edit: deletion(node), names, scope: node.parent, exported: [] }
  }
  return ts.isStatement(node) ? statement(node) : null
}
