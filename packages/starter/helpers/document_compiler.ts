import ts from 'typescript'

import app from '@adonisjs/core/services/app'

import type { CodeBlock } from '#starter/helpers/document_blocks'

/** What documents use without importing it: the application's own names. */
const NAMES: Record<string, string> = {
  ApiToken: `import { ApiToken } from '#kit/api_token/facade'`,
  AdminServer: `import AdminServer from '#mcp/servers/blog_server'`,
  app: `import app from '@adonisjs/core/services/app'`,
  auth: `declare const auth: import('@adonisjs/core/http').HttpContext['auth']`,
  BlogServer: `import BlogServer from '#mcp/servers/blog_server'`,
  client: `declare const client: import('@japa/api-client').ApiClient`,
  controllers: `import { controllers } from '#generated/controllers'`,
  ctx: `declare const ctx: import('@adonisjs/core/http').HttpContext`,
  CreatePost: `import CreatePost from '#mcp/tools/create_post'`,
  clientId: `declare const clientId: string`,
  secret: `declare const secret: string`,
  credentials: `declare const credentials: { email: string; password: string }`,
  findClient: `declare function findClient(id: string, secret: string): Promise<object | null>`,
  HealthServer: `import HealthServer from '#mcp/servers/blog_server'`,
  message: `declare const message: Record<string, unknown>`,
  mcp: `import { mcp } from '#kit/testing/mcp'`,
  manager: `declare const manager: import('#kit/auth/manager').AuthManager`,
  middleware: `import { middleware } from '#start/kernel'`,
  Post: `import Post from '#models/post'`,
  PostResource: `import PostResource from '#resources/post_resource'`,
  CommentResource: `import CommentResource from '#resources/comment_resource'`,
  UserResource: `import UserResource from '#resources/user_resource'`,
  router: `import router from '@adonisjs/core/services/router'`,
  report: `declare function report(options: { signal: AbortSignal }): Promise<string>`,
  search: `declare function search(query: string, options: { limit?: number; signal: AbortSignal }): Promise<{ id: number }[]>`,
  SearchPosts: `import SearchPosts from '#mcp/tools/search_posts'`,
  server: `declare const server: import('#kit/oauth2/authorization_server').AuthorizationServer`,
  /* As the migration writes it that the recipe asks for. */
  staffRole: `declare module '#database/schema' { interface UserSchema { staffRole: string | null } }`,
  test: `import { test } from '@japa/runner'`,
  user: `declare const user: import('#models/user').default`,
  UserFactory: `import { UserFactory } from '#database/factories/user_factory'`,
}

/** The comment of a line that must not compile. */
const MUST_FAIL = /\/\/ fails/

export interface BlockFailure {
  /** The document and line of the failure. */
  at: string
  message: string
}

const DECLARATION = /^(?:export )?(?:default )?(?:async )?(?:class|const|function) (\w+)/gm
const IMPORT = /^import (?:type )?([^']+) from '/gm

/** Names that a block declares and a later block of its document may use. */
const declared = (code: string) => [...code.matchAll(DECLARATION)].map(([, name]) => name!)

/** Whether a block exports a name itself; an exported value may name it on the same line. */
function isExported(code: string, name: string): boolean {
  return new RegExp(`^export (?:[\\w ]* )?(?:\\{[^\\n]*\\b)?${name}\\b`, 'm').test(code)
}

function isDeclared(code: string, name: string): boolean {
  const imported = [...code.matchAll(IMPORT)].map(([, names]) => names!).join(' ')
  return declared(code).includes(name) || new RegExp(`\\b${name}\\b`).test(imported)
}

function isUsed(code: string, name: string): boolean {
  return new RegExp(`(?<![.\\w'/-])${name}\\b(?![:/])`).test(code)
}

/** The imports that a block leaves out: of earlier blocks of its document, and of the application. */
function preamble(block: CodeBlock, earlier: Map<string, string>): string[] {
  const names = { ...NAMES, ...Object.fromEntries(earlier) }
  return Object.entries(names)
    .filter(([name]) => isUsed(block.code, name) && !isDeclared(block.code, name))
    .map(([, line]) => line)
}

/** Compiles every block as a module of this application, and returns what fails, and what should have. */
export function compileBlocks(blocks: CodeBlock[]): BlockFailure[] {
  const { fileNames, options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(app.makePath('tsconfig.json'), ts.sys.readFile).config,
    ts.sys,
    app.makePath()
  )
  const files = new Map<string, { block: CodeBlock; text: string; offset: number }>()
  let earlier = new Map<string, string>()
  for (const [index, block] of blocks.entries()) {
    if (block.document !== blocks[index - 1]?.document) earlier = new Map()
    const before = preamble(block, earlier)
    const own = declared(block.code).filter((name) => !isExported(block.code, name))
    const text = [...before, block.code, `export { ${own.join(', ')} }`].join('\n')
    files.set(app.makePath(`docs/block_${index}.ts`), { block, text, offset: before.length })
    const named = declared(block.code).filter(
      (name) => !new RegExp(`export default [^\\n]*${name}`).test(block.code)
    )
    for (const name of named) earlier.set(name, `import { ${name} } from './block_${index}.js'`)
  }

  const settings = { ...options, noEmit: true, noUnusedLocals: false, noUnusedParameters: false }
  const host = ts.createCompilerHost(settings, true)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name)
  host.readFile = (name) => files.get(name)?.text ?? readFile.call(host, name)
  host.getSourceFile = (name, version, ...rest) => {
    const file = files.get(name)
    return file
      ? ts.createSourceFile(name, file.text, version, true)
      : getSourceFile.call(host, name, version, ...rest)
  }
  const application = fileNames.filter((name) => !name.endsWith('.spec.ts'))
  const program = ts.createProgram([...application, ...files.keys()], settings, host)

  return [...files].flatMap(([name, { block, text, offset }]) => {
    const source = program.getSourceFile(name)!
    const lines = text.split('\n')
    const failures = new Map<number, string>()
    for (const found of [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]) {
      const line = source.getLineAndCharacterOfPosition(found.start ?? 0).line
      failures.set(line, ts.flattenDiagnosticMessageText(found.messageText, '\n'))
    }
    for (const [line, content] of lines.entries()) {
      if (!MUST_FAIL.test(content)) continue
      if (failures.has(line)) failures.delete(line)
      else failures.set(line, 'compiles, and the comment says that it fails')
    }
    return [...failures].map(([line, message]) => ({
      at: `${block.document}:${block.line + line - offset}`,
      message,
    }))
  })
}
