import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import ts from 'typescript'

import type { Random } from '#starter/fuzz/random'

import { type Mutant, ROOT } from './test_run.js'

const { SyntaxKind: Kind } = ts

const SWAPPED: Partial<Record<ts.SyntaxKind, string>> = {
  [Kind.EqualsEqualsEqualsToken]: '!==',
  [Kind.ExclamationEqualsEqualsToken]: '===',
  [Kind.LessThanToken]: '<=',
  [Kind.LessThanEqualsToken]: '<',
  [Kind.GreaterThanToken]: '>=',
  [Kind.GreaterThanEqualsToken]: '>',
  [Kind.AmpersandAmpersandToken]: '||',
  [Kind.BarBarToken]: '&&',
  [Kind.QuestionQuestionToken]: '&&',
  [Kind.PlusToken]: '-',
  [Kind.MinusToken]: '+',
}

/** A word or a number that a program reads. Sentences are for people. */
function replacedLiteral(node: ts.Node): string | null {
  if (ts.isNumericLiteral(node)) return `${node.text} + 1`
  if (node.kind === Kind.TrueKeyword) return 'false'
  if (node.kind === Kind.FalseKeyword) return 'true'
  return ts.isStringLiteral(node) && /^[\w:/.-]+$/.test(node.text) ? "'mutant'" : null
}

const isCall = (node: ts.Expression): boolean =>
  ts.isCallExpression(ts.isAwaitExpression(node) ? node.expression : node)

/** What an expression becomes; null for one that stays. */
function brokenVersion(node: ts.Node, source: ts.SourceFile): string | null {
  const { parent } = node
  if (ts.isExpressionStatement(parent) && isCall(node as ts.Expression)) return 'undefined'
  /* To most callers "false", "null" and nothing are the same. */
  const isNothing = node.kind === Kind.FalseKeyword || node.kind === Kind.NullKeyword
  if (ts.isReturnStatement(parent) && !isNothing) return 'undefined'
  if ((ts.isIfStatement(parent) || ts.isConditionalExpression(parent)) && ts.isExpression(node)) {
    const test = ts.isIfStatement(parent) ? parent.expression : parent.condition
    if (test === node) return `!(${node.getText(source)})`
  }
  if (ts.isBinaryExpression(node)) {
    const swapped = SWAPPED[node.operatorToken.kind]
    return swapped
      ? `(${node.left.getText(source)}) ${swapped} (${node.right.getText(source)})`
      : null
  }
  return ts.isExpression(node) ? replacedLiteral(node) : null
}

/**
 * What is no expression at run time or cannot be put in parentheses. Also `KeysOf`: names, whose values
 * nothing reads; and how many entries a cache keeps: one more shows nowhere.
 */
function isLeftAlone(node: ts.Node): boolean {
  return (
    (ts.isNewExpression(node) && node.expression.getText() === 'BoundedMap') ||
    (ts.isVariableDeclaration(node) &&
      (node.type?.getText().startsWith('KeysOf<') || isCacheLimit(node))) ||
    ts.isTypeNode(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isModuleDeclaration(node) ||
    ts.isDecorator(node) ||
    ts.isHeritageClause(node) ||
    (ts.isCallExpression(node) && node.expression.kind === Kind.SuperKeyword)
  )
}

const isCacheLimit = (node: ts.VariableDeclaration): boolean =>
  /new BoundedMap.*\((\w+)\)/.exec(node.getSourceFile().text)?.[1] === node.name.getText()

/** Every mutant of a file, or those that begin on a line, from 0. */
function mutantsOf(file: string, text: string, line?: number): Omit<Mutant, 'name'>[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: Omit<Mutant, 'name'>[] = []
  const visit = (node: ts.Node): void => {
    if (isLeftAlone(node)) return
    const start = node.getStart(source)
    const { parent } = node
    const isName =
      (ts.isPropertyAssignment(parent) && parent.name === node) ||
      (ts.isBindingElement(parent) && parent.propertyName === node)
    const isThere = line === undefined || source.getLineAndCharacterOfPosition(start).line === line
    if (!isName && isThere) {
      const broken = brokenVersion(node, source)
      if (broken !== null) found.push({ file, start, end: node.end, broken })
    }
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(source, visit)
  return found
}

/** The files of a room, of all when it is empty. What runs in a page is sent as a text, where no mutant is on. */
function filesOf(room: string) {
  const files = globSync(`packages/kit/src/${room || '*'}/**/*.ts`, { cwd: fileURLToPath(ROOT) })
  return files
    .sort()
    .map((file) => ({ file, text: readFileSync(new URL(file, ROOT), 'utf8') }))
    .filter(({ text }) => !text.startsWith('declare const window'))
}

/** Every expression of a room, broken. */
export function everyMutant(room: string): Mutant[] {
  const all = filesOf(room).flatMap(({ file, text }) => mutantsOf(file, text))
  return all.map((mutant, name) => ({ ...mutant, name }))
}

/**
 * Random lines of the kit, each with one expression that is broken.
 *
 * @param room the folder that they are of; any when empty
 */
export function randomMutants(random: Random, count: number, room: string): Mutant[] {
  const lines = filesOf(room).flatMap(({ file, text }) =>
    text.split('\n').map((_, line) => ({ file, text, line }))
  )
  const mutants: Mutant[] = []
  while (mutants.length < count) {
    const { file, text, line } = random.pick(lines)
    const possible = mutantsOf(file, text, line).filter(
      ({ start, end }) =>
        !mutants.some((one) => one.file === file && one.start < end && start < one.end)
    )
    if (possible.length) mutants.push({ ...random.pick(possible), name: mutants.length })
  }
  return mutants
}

/** Where a mutant is, and what it becomes. */
export function descriptionOf({ file, start, end, broken }: Mutant): string {
  const text = readFileSync(new URL(file, ROOT), 'utf8')
  const line = text.slice(0, start).split('\n').length
  return `${file}:${line}: ${text.slice(start, end)} -> ${broken}`.replaceAll(/\s+/g, ' ')
}
