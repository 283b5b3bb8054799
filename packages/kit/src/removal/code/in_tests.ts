import ts from 'typescript'

import { memberOf } from '#removal/code/in_code'
import { type Removable, part, statement } from '#removal/code/removable'
import { deletion, itemDeletion } from '#removal/code/syntax'

/** What goes with a node in a test file: the whole test, because one that does less would prove less. */
export function removableInTest(dead: ts.Node): Removable {
  let child = dead
  for (let node = dead.parent; !ts.isSourceFile(node); child = node, node = node.parent) {
    const found = caseOf(node, child) ?? testAt(node) ?? besideTests(node)
    if (found) {
      return found
    }
  }
  return statement(child)
}

/** What goes with a node in a file that helps tests: a whole function, because tests rely on all that it does. */
export function removableInHelper(dead: ts.Node): Removable {
  let child = dead
  for (let node = dead.parent; !ts.isSourceFile(node); child = node, node = node.parent) {
    if (ts.isTypeElement(node)) {
      return statement(node)
    }
    const found = isTopLevelTable(node) ? memberOf(node, child) : null
    if (found) {
      return found
    }
  }
  return statement(child)
}

/** One case of `test(…).with([…])`, or one entry of a table at the top of the file. */
function caseOf(node: ts.Node, child: ts.Node): Removable | null {
  if (ts.isArrayLiteralExpression(node) && isDataset(node)) {
    return part(itemDeletion(node.elements, child))
  }
  return ts.isVariableDeclaration(node.parent) && isTopLevelTable(node)
    ? memberOf(node, child)
    : null
}

const isDataset = ({ parent }: ts.Node) =>
  ts.isCallExpression(parent) &&
  ts.isPropertyAccessExpression(parent.expression) &&
  parent.expression.name.text === 'with'

/** A list or an object in the value of a constant at the top of the file. */
function isTopLevelTable(node: ts.Node): boolean {
  const within = ts.findAncestor(node, (above) => ts.isStatement(above) || ts.isFunctionLike(above))
  return !!within && ts.isVariableStatement(within) && ts.isSourceFile(within.parent)
}

/** A test; or the whole group, when it is what the group sets up or says of its tests. */
function testAt(node: ts.Node): Removable | null {
  const name = ts.isExpressionStatement(node) ? rootOf(node.expression) : null
  if (name === 'test') {
    return part(deletion(node))
  }
  const group = name === 'group' && ts.findAncestor(node, isGroup)
  return group ? part(deletion(group)) : null
}

/** A statement beside tests goes with the tests that use what it declares. */
function besideTests(node: ts.Node): Removable | null {
  if (!ts.isBlock(node.parent) || !ts.isArrowFunction(node.parent.parent)) {
    return null
  }
  return isGroup(node.parent.parent.parent.parent) ? statement(node) : null
}

/** `test.group(…)` */
export const isGroup = (node: ts.Node): node is ts.ExpressionStatement =>
  ts.isExpressionStatement(node) &&
  ts.isCallExpression(node.expression) &&
  node.expression.expression.getText() === 'test.group'

/** What a chain of calls begins with: `test` for `test('…').with([…]).run(…)`, and for no group. */
export function rootOf(expression: ts.Expression): string | null {
  let node = expression
  while (ts.isCallExpression(node) || ts.isPropertyAccessExpression(node)) {
    if (ts.isPropertyAccessExpression(node) && node.getText() === 'test.group') {
      return null
    }
    node = node.expression
  }
  return ts.isIdentifier(node) ? node.text : null
}

/** Whether a file, or a group, has tests. */
export function hasTests(node: ts.Node): boolean {
  return (
    (ts.isExpressionStatement(node) && rootOf(node.expression) === 'test') ||
    !!ts.forEachChild(node, (child) => hasTests(child) || undefined)
  )
}
