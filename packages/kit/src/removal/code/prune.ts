import ts from 'typescript'

import { removableInCode } from '#removal/code/in_code'
import { hasTests, isGroup, removableInHelper, removableInTest } from '#removal/code/in_tests'
import { type Gone, deadNodes, imports, referencesTo } from '#removal/code/references'
import { type Removable, guardOfList } from '#removal/code/removable'
import { type Edit, applyEdits, deletion, parse, walk } from '#removal/code/syntax'
import { namesIn, withoutUnused } from '#removal/code/unused'

export interface Pruned {
  /** null when nothing is left that the file was for. */
  text: string | null
  /** What other files can no longer import from it. */
  goneExports: ReadonlySet<string>
}

/** An edit can uncover the next one: `a || dead || dead`. No file needs more rounds. */
const MAX_ROUNDS = 20

/**
 * Takes everything out of a file that uses what is gone, and then what nothing uses any more.
 *
 * @param current its text now, from which marked parts may be gone
 * @param original its text before the removal
 */
export function prune(path: string, current: string, original: string, gone: Gone): Pruned {
  const isTest = path.endsWith('.spec.ts')
  const findIn = isTest ? removableInTest : finderOf(path)
  const find = (node: ts.Node) => guardOfList(node) ?? findIn(node)
  const goneExports = new Set<string>()
  let text = current

  text = applyEdits(text, importsForNothing(parse(path, text), gone))

  for (let round = 0; round < MAX_ROUNDS; round++) {
    const file = parse(path, text)
    const removables = spread(deadNodes(file, gone, isTest), find)
    if (!removables.length) {
      break
    }
    removables.flatMap(({ exported }) => exported).forEach((name) => goneExports.add(name))
    text = applyEdits(
      text,
      removables.map(({ edit }) => edit)
    )
  }
  if (text === original) {
    return { text, goneExports }
  }
  text = withoutUnused(path, withoutEmpty(path, text, original), namesIn(path, original))
  return { text: isUseless(path, text, isTest) ? null : text, goneExports }
}

/** Imports of what a file does, when the file is gone; those of names go with the last use. */
const importsForNothing = (file: ts.SourceFile, gone: Gone) =>
  imports(file)
    .filter(({ declaration }) => !declaration.importClause)
    .filter(({ specifier }) => gone.exportsOf(specifier) === 'all')
    .map(({ declaration }) => deletion(declaration))

const finderOf = (path: string) =>
  /^(?:tests|benchmarks)\//.test(path) ? removableInHelper : removableInCode

/** What goes with nodes, and what goes with that. */
function spread(nodes: ts.Node[], find: (node: ts.Node) => Removable): Removable[] {
  const found: Removable[] = []
  const waiting = [...nodes]
  const seen = new Set<ts.Node>()
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (seen.has(node)) {
      continue
    }
    seen.add(node)
    const removable = find(node)
    found.push(removable)
    if (removable.scope && removable.names.length) {
      waiting.push(...referencesTo(removable.scope, new Set(removable.names)))
    }
  }
  return found
}

/** Groups without a test, and what has lost everything that it was around. */
function withoutEmpty(path: string, text: string, original: string): string {
  const edits: Edit[] = []
  walk(parse(path, text), (node) => {
    if (isEmptied(node) || (isEmptyMethod(node) && !original.includes(node.getText()))) {
      edits.push(deletion(node))
    } else if (ts.isIfStatement(node) && node.elseStatement && isEmptyBlock(node.elseStatement)) {
      const start = node.thenStatement.getEnd()
      edits.push({ start, end: node.elseStatement.getEnd(), text: '' })
    }
  })
  return edits.length ? withoutEmpty(path, applyEdits(text, edits), original) : text
}

function isEmptied(node: ts.Node): boolean {
  if (ts.isIfStatement(node)) {
    return isEmptyBlock(node.thenStatement) && !node.elseStatement
  }
  if (ts.isForOfStatement(node)) {
    return isEmptyBlock(node.statement)
  }
  return (isGroup(node) && !hasTests(node)) || isEmptyRouteGroup(node)
}

const isEmptyBlock = (node: ts.Node) => ts.isBlock(node) && !node.statements.length

const isEmptyMethod = (node: ts.Node) =>
  ts.isMethodDeclaration(node) && !!node.body && isEmptyBlock(node.body)

const isEmptyRouteGroup = (node: ts.Node) =>
  ts.isExpressionStatement(node) && /^router\s*\.group\(\(\) => \{\s*\}\)/.test(node.getText())

/** Whether only imports are left, or a test file has no test. */
function isUseless(path: string, text: string, isTest: boolean): boolean {
  const file = parse(path, text)
  return isTest ? !hasTests(file) : file.statements.every(ts.isImportDeclaration)
}
