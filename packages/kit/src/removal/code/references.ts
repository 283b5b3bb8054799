import ts from 'typescript'

import { isReference, walk } from '#removal/code/syntax'

/** What no longer exists, as the code of one file can see it. */
export interface Gone {
  /** The exports of a module that are gone: all of them when the file is, none when nothing has changed. */
  exportsOf(specifier: string): 'all' | ReadonlySet<string>
  /** Whether a text is the path of a file, or of a folder (with a slash at its end), that is gone. */
  isPath(text: string): boolean
  /** Names that are asked for in a call, by the name of its method: `feature`, `hasBinding`, `env.get`, … */
  asked: ReadonlyMap<string, ReadonlySet<string>>
  /** Names of guards. */
  guards: ReadonlySet<string>
  /** Members of generated objects, e.g. `controllers.account.TwoFactor`. */
  members: ReadonlySet<string>
  /** Names of config files. */
  configs: ReadonlySet<string>
  /** Paths of files. */
  paths: ReadonlySet<string>
  /** Texts that show what a test is about; looked for in tests alone. */
  signs: readonly string[]
}

/** Names in a file that come from a file, or an export, that is gone. */
export function importedNames(file: ts.SourceFile, gone: Gone): Set<string> {
  const names = new Set<string>()
  for (const { declaration, specifier } of imports(file)) {
    const exports = gone.exportsOf(specifier)
    for (const { local, exported } of bindings(declaration)) {
      if (exports === 'all' || exports.has(exported)) {
        names.add(local)
      }
    }
  }
  return names
}

export function imports(file: ts.SourceFile) {
  return file.statements.filter(ts.isImportDeclaration).map((declaration) => ({
    declaration,
    specifier: (declaration.moduleSpecifier as ts.StringLiteral).text,
  }))
}

/** What an import binds. A namespace is all of its module and no single export. */
export function bindings({ importClause }: ts.ImportDeclaration) {
  const { name, namedBindings } = importClause ?? {}
  const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : []
  return [
    ...(name ? [{ node: name as ts.Node, local: name.text, exported: 'default' }] : []),
    ...(namedBindings && ts.isNamespaceImport(namedBindings)
      ? [{ node: namedBindings as ts.Node, local: namedBindings.name.text, exported: '*' }]
      : []),
    ...named.map((node) => ({
      node: node as ts.Node,
      local: node.name.text,
      exported: (node.propertyName ?? node.name).text,
    })),
  ]
}

/** The nodes that ask for something that is gone. */
export function deadNodes(file: ts.SourceFile, gone: Gone, isTest: boolean): ts.Node[] {
  const names = importedNames(file, gone)
  const signs = isTest ? signsFor(file, gone.signs) : []
  const found: ts.Node[] = []
  walk(file, (node) => {
    if (
      refersTo(node, names) ||
      asksFor(node, gone.asked) ||
      loads(node, gone) ||
      readsConfig(node, gone.configs) ||
      isPath(node, gone.paths) ||
      isHandler(node, gone.members) ||
      isPlace(node, gone, isTest) ||
      shows(node, signs)
    ) {
      found.push(node)
    } else if (namesGuard(node, gone.guards)) {
      found.push(withoutGuards(node as ts.StringLiteral, gone.guards))
    }
  })
  return found
}

/** References to names in a part of a file. */
export function referencesTo(scope: ts.Node, names: ReadonlySet<string>): ts.Node[] {
  const found: ts.Node[] = []
  walk(scope, (node) => {
    if (refersTo(node, names)) {
      found.push(node)
    }
  })
  return found
}

function refersTo(node: ts.Node, names: ReadonlySet<string>): boolean {
  if (ts.isPrivateIdentifier(node)) {
    return names.has(node.text) && ts.isPropertyAccessExpression(node.parent)
  }
  return (
    ts.isIdentifier(node) &&
    names.has(node.text) &&
    isReference(node) &&
    !ts.findAncestor(node, ts.isImportDeclaration)
  )
}

function asksFor(node: ts.Node, asked: Gone['asked']): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) {
    return false
  }
  const { expression, name } = node.expression
  const names = asked.get(name.text) ?? asked.get(`${expression.getText()}.${name.text}`)
  const [argument] = node.arguments
  return !!names && !!argument && ts.isStringLiteral(argument) && names.has(argument.text)
}

/** `[controllers.Posts, 'index']`, or such a controller anywhere else. */
function isHandler(node: ts.Node, members: ReadonlySet<string>): boolean {
  const named = ts.isArrayLiteralExpression(node) ? node.elements[0] : node
  return (
    !!named &&
    ts.isPropertyAccessExpression(named) &&
    members.has(named.getText()) &&
    !(ts.isArrayLiteralExpression(node.parent) && node.parent.elements[0] === node)
  )
}

/** `config.get('oauth2.issuer')` */
function readsConfig(node: ts.Node, configs: ReadonlySet<string>): boolean {
  if (!ts.isCallExpression(node) || !/\bconfig\.get$/.test(node.expression.getText())) {
    return false
  }
  const [key] = node.arguments
  return !!key && ts.isStringLiteral(key) && configs.has(key.text.split('.', 1)[0]!)
}

/** A text that is the path of a file: `docs/oauth.md`. */
const isPath = (node: ts.Node, paths: ReadonlySet<string>) =>
  ts.isStringLiteral(node) && paths.has(node.text)

/** `import('…')`, as an expression or as a type. */
function loads(node: ts.Node, gone: Gone): boolean {
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [specifier] = node.arguments
    return !!specifier && ts.isStringLiteral(specifier) && gone.exportsOf(specifier.text) === 'all'
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const { literal } = node.argument
    return ts.isStringLiteral(literal) && gone.exportsOf(literal.text) === 'all'
  }
  return false
}

/** The path of a file that is gone; tests write specifiers as texts, too. */
function isPlace(node: ts.Node, gone: Gone, isTest: boolean): boolean {
  if (!ts.isStringLiteral(node) || !node.text.includes('/')) {
    return false
  }
  const isListed = isTest || ts.isArrayLiteralExpression(node.parent)
  const isSpecifier = isTest && node.text.startsWith('#') && !ts.isImportDeclaration(node.parent)
  return (
    (isListed && gone.isPath(node.text)) || (isSpecifier && gone.exportsOf(node.text) === 'all')
  )
}

/** A guard's name in a list of guards, `withGuard('…')` or `use('…')`. */
function namesGuard(node: ts.Node, guards: ReadonlySet<string>): boolean {
  if (!ts.isStringLiteral(node) || !guards.has(node.text)) {
    return false
  }
  const { parent } = node
  if (ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression)) {
    return ['withGuard', 'use', 'guard'].includes(parent.expression.name.text)
  }
  return isGuardOfList(node)
}

/** Whether a text is in what is called `guards`. */
export function isGuardOfList({ parent }: ts.Node): boolean {
  const list = ts.isArrayLiteralExpression(parent) ? parent.parent : parent
  const owner = ts.isAsExpression(list) ? list.parent : list
  return (
    (ts.isPropertyAssignment(owner) || ts.isVariableDeclaration(owner)) &&
    owner.name.getText() === 'guards'
  )
}

/** Signs that a test can have: the unit tests call no routes of the application. */
const signsFor = ({ fileName }: ts.SourceFile, signs: readonly string[]) =>
  fileName.startsWith('tests/unit/') ? signs.filter((sign) => !sign.startsWith('/')) : signs

/** `protect` of an MCP mount: its guards are accepted besides others. */
const isBesides = ({ expression }: ts.CallExpression) =>
  ts.isPropertyAccessExpression(expression) && expression.name.text === 'protect'

/** The guard in its list; all of the statement when the list has no other: what only these guards let in must not be open. */
function withoutGuards(node: ts.StringLiteral, guards: ReadonlySet<string>): ts.Node {
  const list = node.parent
  const isLast =
    ts.isArrayLiteralExpression(list) &&
    list.elements.every((one) => ts.isStringLiteral(one) && guards.has(one.text))
  const call = isLast && ts.findAncestor(node, ts.isCallExpression)
  if (!call || isBesides(call)) {
    return call ? list : node
  }
  return ts.findAncestor(node, ts.isStatement)?.getChildAt(0) ?? node
}

/** A sign with a slash is a path, and looked for in texts; any other is a name or a whole text. */
function shows(node: ts.Node, signs: readonly string[]): boolean {
  if (ts.findAncestor(node, ts.isImportDeclaration)) {
    return false
  }
  if (ts.isIdentifier(node)) {
    return signs.includes(node.text)
  }
  return (
    isText(node) &&
    signs.some((sign) => (sign.includes('/') ? hasPath(node.text, sign) : node.text === sign))
  )
}

const isText = (node: ts.Node) =>
  ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)

/**
 * Whether a text has a path, and no part of another one: `/posts` is neither in `/posts-of`
 * nor in `/users/posts`, and `/mcp$` is not in `/mcp/account` either.
 */
export function hasPath(text: string, path: string): boolean {
  const escaped = path.replace(/\$$/, '').replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  const after = path.endsWith('$') ? '[\\w/-]' : '[\\w-]'
  return new RegExp(`(?<![\\w.-])${escaped}(?!${after}|\\.ts)`).test(text)
}
