import ts from 'typescript'

/** What a file imports, by whichever kind of import. */
export function importsOf(text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName)
}

/** Name of the package that an import is from; null for a file of the application and for what Node.js has. */
export function packageOf(specifier: string): string | null {
  if (/^(?:[#.]|node:)/.test(specifier)) {
    return null
  }
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Aliases of a package.json with the folders that they stand for. */
export class Aliases {
  readonly #folders: [prefix: string, folder: string][]

  constructor(imports: Readonly<Record<string, string>>) {
    this.#folders = Object.entries(imports)
      .map(([alias, to]): [string, string] => [
        alias.replace(/\*$/, ''),
        to.replace(/^\.\//, '').replace(/\*\.js$/, ''),
      ])
      .sort(([one], [other]) => other.length - one.length)
  }

  /** The alias that an import goes through, and the path of the file; null for a package. */
  resolve(specifier: string): { alias: string; path: string } | null {
    const found = this.#folders.find(([prefix]) => specifier.startsWith(prefix))
    return found
      ? { alias: `${found[0]}*`, path: `${found[1]}${specifier.slice(found[0].length)}.ts` }
      : null
  }
}
