import { globSync, readFileSync } from 'node:fs'

import app from '@adonisjs/core/services/app'
import ts from 'typescript'

/** What runs at the start of a process and in commands. */
const SOURCES = [
  'bin/*.{js,ts}',
  '{commands,config,database,providers,start}/*.ts',
  'packages/kit/{src,providers,commands}/**/*.ts',
  'packages/kit/configure.ts',
]

/** Errors of the application's own code, thrown while it uses a module in a request. */
const AT_RUN_TIME = [
  'packages/kit/src/api_token/api_token_service.ts',
  'packages/kit/src/api_token/facade.ts',
  'packages/kit/src/auth/facade.ts',
  'packages/kit/src/auth/guards/guard.ts',
  'packages/kit/src/auth/users.ts',
  'packages/kit/src/json_api/',
  'packages/kit/src/mcp/response.ts',
  'packages/kit/src/session/request_session.ts',
  'packages/kit/src/session/session_values.ts',
  'packages/kit/src/session/session_service.ts',
  'packages/kit/src/http/current_request.ts',
  'packages/kit/src/testing/',
]

/** What the commands of the kit have in common. */
const COMMANDS = 'packages/kit/src/process/kit_command.ts'

/** Pairs of a field and the sentence about it, which pages show and a command prints. */
const REFUSALS = 'packages/kit/src/social/organisation_refused.ts'

/** What is wrong, as the value of a function. */
const RETURNED = [
  'packages/kit/src/oauth2/clients/assertions.ts',
  'packages/kit/src/process/explain.ts',
]

/** What throws such an exception with its second argument. */
const ASSERTIONS = ['assertArgument', 'assertRuntime', 'assertCommand']

const EXCEPTIONS = /^((Runtime|InvalidArguments)Exception|CommandRefused)$/

/** Entry points and commands print, too. */
const PRINTS = /^(fail|this\.#?fail|this\.logger\.error)$/

export interface ErrorSentence {
  file: string
  /** With `…` for what differs. */
  text: string
}

/** The texts that an expression can be, as far as they are written there. */
function textsOf(node: ts.Node, source: ts.SourceFile): string[] {
  if (ts.isStringLiteralLike(node)) return [node.text]
  if (ts.isTemplateExpression(node)) {
    return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')]
  }
  if (ts.isConditionalExpression(node)) {
    return [node.whenTrue, node.whenFalse].flatMap((branch) => textsOf(branch, source))
  }
  if (
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken
  ) {
    return [node.left, node.right].flatMap((branch) => textsOf(branch, source))
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [start = '…'] = textsOf(node.left, source)
    const [end = '…'] = textsOf(node.right, source)
    return [start + end]
  }
  const value = ts.isIdentifier(node) ? valueOf(node.text, source) : undefined
  return value ? textsOf(value, source) : []
}

/** What a constant of this name is. */
function valueOf(name: string, node: ts.Node): ts.Expression | undefined {
  if (ts.isVariableDeclaration(node) && node.name.getText() === name) {
    return node.initializer
  }
  return ts.forEachChild(node, (child) => valueOf(name, child))
}

/** Whether a call of `super` is in a class of such exceptions. */
function isException(node: ts.Node): boolean {
  const owner = ts.findAncestor(node, ts.isClassDeclaration)
  const bases = owner?.heritageClauses?.flatMap(({ types }) => [...types]) ?? []
  return bases.some(({ expression }) => EXCEPTIONS.test(expression.getText()))
}

/** The expression that a node hands to somebody who reads it; null when it hands over none. */
function printed(node: ts.Node, file: string, source: ts.SourceFile): ts.Node | null {
  if (ts.isNewExpression(node) && EXCEPTIONS.test(node.expression.getText(source))) {
    return node.arguments?.[0] ?? null
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword) {
    return isException(node) ? node.arguments[0]! : null
  }
  if (ts.isCallExpression(node) && ASSERTIONS.includes(node.expression.getText(source))) {
    return node.arguments[1]!
  }
  if (ts.isCallExpression(node) && (file === COMMANDS || !file.startsWith('packages/kit/src/'))) {
    return PRINTS.test(node.expression.getText(source)) ? (node.arguments[0] ?? null) : null
  }
  if (file === REFUSALS && ts.isArrayLiteralExpression(node)) {
    return node.elements[1]!
  }
  return RETURNED.includes(file) && ts.isReturnStatement(node) ? (node.expression ?? null) : null
}

/** Every error sentence that a process prints at its start, or a command. */
export function errorSentences(): ErrorSentence[] {
  return globSync(SOURCES, { cwd: app.makePath() })
    .filter((file) => !AT_RUN_TIME.some((path) => file.startsWith(path)))
    .flatMap((file) => {
      const text = readFileSync(app.makePath(file), 'utf8')
      const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
      const sentences: ErrorSentence[] = []
      const visit = (node: ts.Node) => {
        const expression = printed(node, file, source)
        if (expression) {
          const texts = textsOf(expression, source)
          sentences.push(...texts.map((one) => ({ file, text: one.replaceAll('\n', ' ') })))
        }
        ts.forEachChild(node, visit)
      }
      visit(source)
      return sentences
    })
}
