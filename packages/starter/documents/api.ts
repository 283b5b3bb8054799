import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import ts from 'typescript'

const KIT = fileURLToPath(new URL('../../kit/', import.meta.url))

const HEAD = `# What the package exports

Everything else of "adonis-auth-kit" is closed. "npm run docs" writes this page: a change of it is a
change of the public surface, to which [semver](https://semver.org) applies.
`

/** Each subpath with its source file. */
function entries(): [subpath: string, file: string][] {
  const { exports } = JSON.parse(readFileSync(`${KIT}package.json`, 'utf8')) as {
    exports: Record<string, string>
  }
  return Object.entries(exports)
    .filter(([, target]) => target.endsWith('.js'))
    .flatMap(([subpath, target]): [string, string][] => {
      const source = target.replace(/\.js$/, '.ts')
      const [before, after] = source.split('*')
      return after === undefined
        ? [[subpath, source]]
        : globSync(source, { cwd: KIT }).map((file) => [
            subpath.replace('*', `./${file}`.slice(before!.length, -after.length)),
            `./${file}`,
          ])
    })
    .sort(([one], [other]) => (one < other ? -1 : 1))
}

const FORMAT =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.WriteArrowStyleSignature |
  ts.TypeFormatFlags.OmitParameterModifiers

/** Whether people outside the class may use a member. */
function isPublic(member: ts.Symbol): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected
  return (member.declarations ?? []).every(
    (one) =>
      !(ts.getCombinedModifierFlags(one) & hidden) &&
      !ts.isPrivateIdentifier(ts.getNameOfDeclaration(one) ?? one)
  )
}

/** The name of a member; that of a symbol without its number, which changes with every file of the program. */
function nameOf({ name }: ts.Symbol): string {
  return name.replace(/^__@(\w+)@\d+$/, '[$1]')
}

class Report {
  readonly #checker: ts.TypeChecker

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker
  }

  /** One line for each member of a class or an interface that the package declares itself. */
  #members(type: ts.Type): string[] {
    return type
      .getProperties()
      .filter((member) => isPublic(member))
      .filter(({ declarations = [] }) =>
        declarations.some((one) => one.getSourceFile().fileName.startsWith(KIT))
      )
      .map((member) => `  ${nameOf(member)}: ${this.#typeOf(member)}`)
      .sort()
  }

  #typeOf(symbol: ts.Symbol): string {
    const type = this.#checker.getTypeOfSymbol(symbol)
    return this.#checker
      .typeToString(type, undefined, FORMAT)
      .replaceAll(/import\("[^"]*"[^)]*\)\./g, '')
      .replaceAll(/import\("[^"]*\/src\/([^"]*)"[^)]*\)/g, "import('#$1')")
  }

  lines(exported: ts.Symbol): string[] {
    const checker = this.#checker
    const symbol =
      exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
    if (symbol.flags & ts.SymbolFlags.Class) {
      return [
        `class ${exported.name}`,
        ...this.#members(checker.getTypeOfSymbol(symbol)).map((line) =>
          line.replace('  ', '  static ')
        ),
        ...this.#members(checker.getDeclaredTypeOfSymbol(symbol)),
      ]
    }
    if (symbol.flags & ts.SymbolFlags.Interface) {
      return [
        `interface ${exported.name}`,
        ...this.#members(checker.getDeclaredTypeOfSymbol(symbol)),
      ]
    }
    return symbol.flags & ts.SymbolFlags.TypeAlias
      ? [`type ${exported.name}`]
      : [`${exported.name}: ${this.#typeOf(symbol)}`]
  }
}

/** The page `packages/kit/API.md`. */
export function apiPage(): string {
  const config = ts.getParsedCommandLineOfConfigFile(
    `${KIT}tsconfig.json`,
    { noEmit: true },
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic() {},
    }
  )!
  const program = ts.createProgram(config.fileNames, config.options)
  const checker = program.getTypeChecker()
  const report = new Report(checker)
  const sections = entries().map(([subpath, file]) => {
    const symbol = checker.getSymbolAtLocation(program.getSourceFile(`${KIT}${file.slice(2)}`)!)
    const lines = (symbol ? checker.getExportsOfModule(symbol) : [])
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap((exported) => report.lines(exported))
    return `## ${subpath.replace(/^\./, 'adonis-auth-kit')}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\`\n`
  })
  return [HEAD, ...sections].join('\n')
}
