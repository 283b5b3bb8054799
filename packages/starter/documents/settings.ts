import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Where docs/settings.md holds what is generated. */
const BEGIN =
  '<!-- The rest is written by "npm run docs" from packages/kit/src/*/define_config.ts. -->'

const CONFIG_FILE = /settings of `(config\/\w+\.ts)`/i

/** The docstring of a node in one line. */
function docstring(node: ts.Node): string {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  return (ts.getTextOfJSDocComment(comment?.comment) ?? '').replace(/\s+/g, ' ').trim()
}

function interfaces(file: string): ts.InterfaceDeclaration[] {
  const text = readFileSync(`${ROOT}/${file}`, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  return source.statements.filter(ts.isInterfaceDeclaration)
}

const [storeSettings] = interfaces('packages/kit/src/config/store_config.ts')

type Setting = ts.PropertySignature | ts.MethodSignature

const isSetting = (member: ts.TypeElement): member is Setting =>
  ts.isPropertySignature(member) || ts.isMethodSignature(member)

/** The members of a settings interface; those of every store when it has one. */
function settings(declaration: ts.InterfaceDeclaration): Setting[] {
  const extendsStore = declaration.heritageClauses?.some((clause) =>
    clause.types.some((type) => type.expression.getText() === 'StoreConfig')
  )
  const members = [...(extendsStore ? storeSettings!.members : []), ...declaration.members]
  return members.filter(isSetting)
}

/** A row for a setting, and one for each setting inside it. @throws {Error} for a setting that nothing is said about */
function rows(setting: Setting, prefix = ''): string[] {
  const name = `${prefix}${setting.name.getText()}`
  const parts: readonly ts.TypeNode[] = ts.isIntersectionTypeNode(setting.type!)
    ? setting.type.types
    : [setting.type!]
  const inner = parts
    .filter(ts.isTypeLiteralNode)
    .flatMap((literal) => literal.members.filter(ts.isPropertySignature))
    .flatMap((member) => rows(member, `${name}.`))
  const meaning = docstring(setting).replaceAll('|', '\\|')
  if (!prefix && !meaning && !inner.length) {
    throw new Error(`The setting "${name}" needs a docstring`)
  }
  return [...(meaning ? [`| \`${name}\` | ${meaning} |`] : []), ...inner]
}

function table(declaration: ts.InterfaceDeclaration): string {
  const all = settings(declaration).flatMap((setting) => rows(setting))
  return ['| Setting | Meaning |', '|---|---|', ...all].join('\n')
}

/** The page docs/settings.md: what stands in it up to the marker, and the settings of every config file. */
export function settingsPage(): string {
  const page = readFileSync(`${ROOT}/docs/settings.md`, 'utf8')
  const sections = globSync('packages/kit/src/*/define_config.ts', { cwd: ROOT })
    .sort()
    .flatMap((file) => interfaces(file))
    .flatMap((declaration) => {
      const [, config] = CONFIG_FILE.exec(docstring(declaration)) ?? []
      return config ? [`## ${config}\n\n${table(declaration)}\n`] : []
    })
  return [page.split(BEGIN)[0], BEGIN, '\n\n', sections.join('\n')].join('')
}
