import ts from 'typescript'

/** What code can name that is gone. */
export interface Gone {
  /** Whether what a file imports is gone. */
  imports(specifier: string, from: string): boolean
  /** Paths of files. */
  files: ReadonlySet<string>
  /** Whether a key, with those that it is in, is a setting or a variable that is gone. */
  key(path: string, key: string): boolean
  guards: ReadonlySet<string>
}

const parse = (path: string, text: string) =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)

/** Calls back for a node and what is below it; not below those for which the answer is true. */
function walk(node: ts.Node, visit: (node: ts.Node) => boolean | void): void {
  if (!visit(node)) {
    ts.forEachChild(node, (child) => walk(child, visit))
  }
}

/**
 * Takes out of a file what names something that is gone: imports, items of lists, settings, and the
 * statement around a list of guards of which none is left.
 *
 * @returns the text, and the code that is left for a person
 */
export function withoutGone(path: string, text: string, gone: Gone) {
  const source = parse(path, text)
  const taken: ts.Node[] = []
  const left: string[] = []
  const names = new Set<string>()

  walk(source, (node) => {
    if (ts.isImportDeclaration(node)) {
      if (gone.imports((node.moduleSpecifier as ts.StringLiteral).text, path)) {
        taken.push(node)
        boundBy(node).forEach(({ name }) => names.add(name.getText()))
      }
      return true
    }
    if (ts.isArrayLiteralExpression(node) && namesGuards(node)) {
      const lost = node.elements.filter((one) => gone.guards.has((one as ts.StringLiteral).text))
      const statement = ts.findAncestor(node, ts.isExpressionStatement)
      const isEmpty = statement && lost.length > 0 && lost.length === node.elements.length
      taken.push(...(isEmpty ? [statement] : lost))
      return true
    }
    if (ts.isObjectLiteralElementLike(node) && gone.key(path, keysOf(node))) {
      return taken.push(node) > 0
    }
    const isGone = ts.isStringLiteral(node)
      ? gone.files.has(node.text) ||
        (ts.isCallExpression(node.parent) && gone.imports(node.text, path))
      : ts.isIdentifier(node) && names.has(node.text) && isReference(node)
    const item = isGone && itemOf(node)
    if (isGone) {
      item ? taken.push(item) : left.push(node.parent.getText())
    }
    return false
  })
  return { text: without(source, taken), left }
}

/** Takes out the imports and constants that a text used before and does not any more. */
export function withoutUnused(text: string, before: string): string {
  const [now, then] = [text, before].map(countNames)
  const isUnused = ({ name }: Binding) =>
    now!.get(name.getText()) === 1 && then!.get(name.getText()) !== 1
  const source = parse('', text)
  const unused = source.statements.flatMap((statement): ts.Node[] => {
    const bound = boundBy(statement)
    const lost = bound.filter(isUnused)
    const isWhole = lost.length > 0 && lost.length === bound.length
    return isWhole ? [statement] : lost.filter(ts.isImportSpecifier)
  })
  return unused.length ? withoutUnused(without(source, unused), before) : text
}

function countNames(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  walk(parse('', text), (node) => {
    if (ts.isIdentifier(node)) counts.set(node.text, (counts.get(node.text) ?? 0) + 1)
  })
  return counts
}

type Binding = { name: ts.Node } & ts.Node

/** What an import, or a constant that is not exported, gives a name to. */
function boundBy(statement: ts.Node): Binding[] {
  if (ts.isVariableStatement(statement) && !statement.modifiers) {
    return [...statement.declarationList.declarations]
  }
  const { importClause: clause } = statement as Partial<ts.ImportDeclaration>
  const named = clause?.namedBindings
  const others = named && ts.isNamedImports(named) ? named.elements : [named]
  return [clause, ...others].filter((one) => one?.name) as Binding[]
}

/** The item of a list that a node is in: of an array, an object, or `together(...)`. */
function itemOf(node: ts.Node): ts.Node | null {
  const { parent } = node
  if (ts.isStatement(node)) {
    return null
  }
  const isItem =
    ts.isArrayLiteralExpression(parent) ||
    (ts.isCallExpression(parent) && parent.expression.getText() === 'together') ||
    (ts.isObjectLiteralElementLike(node) && node.name?.getText() !== 'file')
  return isItem ? node : itemOf(parent)
}

/** The name of a property behind those that it is in, e.g. "default/passwords". */
function keysOf(node: ts.Node): string {
  const property = ts.findAncestor(node, ts.isObjectLiteralElementLike)
  const name = property?.name?.getText().replaceAll(/['"]/g, '')
  return property ? [keysOf(property.parent), name].filter(Boolean).join('/') : ''
}

const namesGuards = ({ parent }: ts.Node) =>
  /^guards\b/.test((ts.isAsExpression(parent) ? parent.parent : parent).getText())

/** Whether an identifier is a value: not what follows a dot, nor a key. */
const isReference = ({ parent, text }: ts.Identifier) =>
  !(ts.isPropertyAccessExpression(parent) && parent.name.text === text) &&
  !(ts.isPropertyAssignment(parent) && parent.name.getText() === text)

/** The text without nodes, with the comments right above them and the comma behind. */
function without(source: ts.SourceFile, nodes: readonly ts.Node[]): string {
  const outer = nodes.filter(({ parent }) => !ts.findAncestor(parent, (one) => nodes.includes(one)))
  let { text } = source
  for (const node of [...new Set(outer)].sort((one, other) => other.pos - one.pos)) {
    const above = text.slice(node.getFullStart(), node.getStart())
    const start = node.getFullStart() + above.lastIndexOf('\n\n') + 1
    const [behind] = /^(\s*,)?[ \t]*/.exec(text.slice(node.end))!
    text = text.slice(0, start) + text.slice(node.end + behind.length)
  }
  return text
}

/** A text without the parts that are marked as features', e.g. `feature: posts` to `/feature` in comments. */
export function withoutMarked(text: string, features: readonly string[]): string {
  const open: boolean[] = []
  const kept = text.split('\n').filter((line) => {
    const [, begun, end] =
      /^\s*(?:\{\{--|\/\*|\/\/|#) (?:feature: (\w+)|(\/feature))\b/.exec(line) ?? []
    if (begun) open.push(features.includes(begun))
    const isKept = !open.includes(true)
    if (end) open.pop()
    return isKept
  })
  return kept.join('\n')
}

/** A file of environment variables without some of them, and the comments right above these. */
export function withoutVariables(text: string, isGone: (name: string) => boolean): string {
  const variable = /(?:^# .*\n)*^#?(?: *)([A-Z][A-Z0-9_]+)(?:=|: ).*\n/gm
  return text.replaceAll(variable, (all, name) => (isGone(name) ? '' : all))
}
