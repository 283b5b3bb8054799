import type ts from 'typescript'

import { type Edit, declaredNames, deletion, exportedNames } from '#removal/code/syntax'

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

/** A statement goes with everything that uses what it declares. */
export function statement(node: ts.Node): Removable {
  return {
    edit: deletion(node),
    names: declaredNames(node),
    scope: node.parent,
    exported: exportedNames(node),
  }
}
