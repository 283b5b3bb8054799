import ts from 'typescript'

import { isGuardOfList } from '#removal/code/references'
import {
  type Edit,
  declaredNames,
  deletion,
  exportedNames,
  itemDeletion,
} from '#removal/code/syntax'

/** A part of a file that can be taken out of it. */
export interface Removable {
  edit: Edit
  /** Names that it declares, and the part of the file that can see them. */
  names: readonly string[]
  scope: ts.Node | null
  /** Its names for other files. */
  exported: readonly string[]
}

/** A part that declares nothing. */
export const part = (edit: Edit): Removable => ({ edit, names: [], scope: null, exported: [] })

/** A guard of a list `guards`, or all of such a list, which others make up for; null for every other node. */
export function guardOfList(dead: ts.Node): Removable | null {
  const { parent } = dead
  if (ts.isStringLiteral(dead) && ts.isArrayLiteralExpression(parent)) {
    return isGuardOfList(dead) ? part(itemDeletion(parent.elements, dead)) : null
  }
  return ts.isArrayLiteralExpression(dead) && ts.isObjectLiteralExpression(parent.parent)
    ? part(itemDeletion(parent.parent.properties, parent))
    : null
}

/** A statement goes with everything that uses what it declares. */
export function statement(node: ts.Node): Removable {
  return {
    edit: deletion(node),
    names: declaredNames(node),
    scope: node.parent,
    exported: exportedNames(node),
  }
}
