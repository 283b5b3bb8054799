import { readFileSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import ts from 'typescript'

/** A setting as its file writes it: where its value stands in the source. */
export interface Setting {
  /** `file.key.key`, e.g. `session.sameSite`. */
  path: string
  /** Whether it has settings of its own. */
  isGroup: boolean
  start: number
  end: number
}

/** The config files of a folder, by their names without extension. */
export function configFiles(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((file) => file.endsWith('.ts'))
  return new Map(
    names.map((file) => [basename(file, '.ts'), readFileSync(join(folder, file), 'utf8')])
  )
}

/** The names of the variables that `start/env.ts` validates. */
export function findVariables(source: string): string[] {
  return [...source.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!)
}

/**
 * Every setting that a config file states: the properties of what it exports,
 * and of objects in them, also where a function takes the object.
 */
export function findSettings(file: string, source: string): Setting[] {
  const tree = ts.createSourceFile(`${file}.ts`, source, ts.ScriptTarget.Latest, true)
  const found: Setting[] = []

  function visit(path: string, value: ts.Expression) {
    const properties = objectIn(value)?.properties ?? []
    found.push({
      path,
      isGroup: properties.length > 0,
      start: value.getStart(),
      end: value.getEnd(),
    })
    visitProperties(path, properties)
  }

  function visitProperties(path: string, properties: readonly ts.ObjectLiteralElementLike[]) {
    for (const property of properties) {
      if (ts.isPropertyAssignment(property)) {
        visit(`${path}.${nameOf(property)}`, property.initializer)
      } else if (ts.isMethodDeclaration(property) || ts.isShorthandPropertyAssignment(property)) {
        const [start, end] = [property.getStart(), property.getEnd()]
        found.push({ path: `${path}.${nameOf(property)}`, isGroup: false, start, end })
      } else if (ts.isSpreadAssignment(property) && ts.isIdentifier(property.expression)) {
        const value = valueOf(tree, property.expression.text)
        visitProperties(path, (value && objectIn(value)?.properties) ?? [])
      }
    }
  }

  for (const statement of tree.statements) {
    if (ts.isExportAssignment(statement)) {
      const value = ts.isIdentifier(statement.expression)
        ? valueOf(tree, statement.expression.text)
        : statement.expression
      visitProperties(file, (value && objectIn(value)?.properties) ?? [])
    } else if (ts.isVariableStatement(statement) && isExported(statement)) {
      for (const { name, initializer } of statement.declarationList.declarations) {
        visit(`${file}.${name.getText()}`, initializer!)
      }
    }
  }
  return found
}

/** A config file with other values, in the place of those that it states. */
export function withValues(source: string, settings: Setting[], values: Map<string, string>) {
  return settings
    .filter(({ path }) => values.has(path))
    .sort((a, b) => b.start - a.start)
    .reduce(
      (text, { path, start, end }) => text.slice(0, start) + values.get(path) + text.slice(end),
      source
    )
}

/** The server whose variable SETTINGS names a folder of `writeConfig`. */
export const SERVER_WITH_SETTINGS = 'packages/starter/helpers/fixtures/server_with_settings.ts'

/** Writes the config files that other values change into a folder, compiled. */
export async function writeConfig(
  folder: string,
  files: Map<string, string>,
  values: Map<string, string>
): Promise<void> {
  for (const [file, source] of files) {
    const changed = withValues(source, findSettings(file, source), values)
    if (changed !== source) {
      const { outputText } = ts.transpileModule(changed, {
        compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ESNext },
      })
      await writeFile(join(folder, `${file}.js`), outputText)
    }
  }
}

function nameOf({ name }: { name: ts.PropertyName }) {
  return ts.isStringLiteral(name) ? name.text : name.getText()
}

function isExported(statement: ts.VariableStatement) {
  return statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false
}

function valueOf(tree: ts.SourceFile, name: string): ts.Expression | undefined {
  return tree.statements
    .filter((statement) => ts.isVariableStatement(statement))
    .flatMap(({ declarationList }) => [...declarationList.declarations])
    .find((declaration) => declaration.name.getText() === name)?.initializer
}

/** The object that an expression is, or that the function it calls is given. */
function objectIn(value: ts.Expression): ts.ObjectLiteralExpression | null {
  if (ts.isObjectLiteralExpression(value)) {
    return value
  }
  if (ts.isSatisfiesExpression(value) || ts.isAsExpression(value)) {
    return objectIn(value.expression)
  }
  if (ts.isCallExpression(value) && value.arguments.length === 1) {
    return objectIn(value.arguments[0]!)
  }
  return null
}
