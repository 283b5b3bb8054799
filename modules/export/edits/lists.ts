import ts from 'typescript'

import { type Edit, applyEdits, parse, walk } from '#removal/code/syntax'

type List = ts.ArrayLiteralExpression | ts.ObjectLiteralExpression

/** Adds items at the end of a list, each on a line of its own where the others have one. */
export function append(list: List, items: readonly string[]): Edit {
  const { text } = list.getSourceFile()
  const members: ts.NodeArray<ts.Node> = ts.isArrayLiteralExpression(list)
    ? list.elements
    : list.properties
  const last = members.at(-1)
  if (!last) {
    const added = items.join(', ')
    const isObject = ts.isObjectLiteralExpression(list)
    return {
      start: list.getStart() + 1,
      end: list.getEnd() - 1,
      text: isObject ? ` ${added} ` : added,
    }
  }
  const indent = /\n([ \t]*)$/.exec(text.slice(0, last.getStart()))?.[1]
  const separator = indent === undefined ? ', ' : `,\n${indent}`
  return {
    start: last.getEnd(),
    end: last.getEnd(),
    text: items.map((item) => separator + item).join(''),
  }
}

/**
 * Changes the first node that fits; null when there is none.
 *
 * @param find the edit for a node that fits
 */
export function editNode(
  path: string,
  text: string,
  find: (node: ts.Node) => Edit | undefined
): string | null {
  let edit: Edit | undefined
  walk(parse(path, text), (node) => {
    edit ??= find(node)
  })
  return edit ? applyEdits(text, [edit]) : null
}

/** The value of a property with this name; undefined for every other node. */
export function valueOf(node: ts.Node, name: string): ts.Expression | undefined {
  return ts.isPropertyAssignment(node) && node.name.getText() === name
    ? node.initializer
    : undefined
}

/** The arguments of a call of this function, as code writes it: `router.named`. */
export function argumentsOf(node: ts.Node, callee: string): readonly ts.Expression[] {
  return ts.isCallExpression(node) && node.expression.getText() === callee ? node.arguments : []
}

/** Adds an import behind the others. */
export function withImport(path: string, text: string, line: string): string {
  if (text.includes(line)) {
    return text
  }
  const last = parse(path, text).statements.findLast(ts.isImportDeclaration)
  return last
    ? `${text.slice(0, last.getEnd())}\n${line}${text.slice(last.getEnd())}`
    : `${line}\n${text}`
}
