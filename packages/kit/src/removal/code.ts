import ts from 'typescript'

/** A text without the parts that are marked as features', e.g. `feature: posts` to `/feature` in comments. What is of several goes with the last. */
export function withoutMarked(text: string, features: readonly string[]): string {
  const open: boolean[] = []
  const kept = text.split('\n').filter((line) => {
    const [, begun, end] =
      /^\s*(?:\{\{--|\/\*|\/\/|#) (?:feature: (\w+(?: \w+)*)|(\/feature))\b/.exec(line) ?? []
    if (begun) open.push(begun.split(' ').every((name) => features.includes(name)))
    const isKept = !open.includes(true)
    if (end) open.pop()
    return isKept
  })
  return kept.join('\n')
}

/** Comments, then a line with those below it that are indented deeper, and the bracket that ends them. */
const ITEM =
  /((?:^[ \t]*(?:\/\*|[*|]|\/\/|# ).*\n)*)^([ \t]*)(\S.*\n)((?:\n*\2[ \t].*\n)*)((?:\2[)}\]].*\n)?)/gm
const NAME =
  /^(?:\{?\s*(?:\w+: )?\(\) => import\('(.+?)'|#?(?:async |const )?(['"]?)(\S+?)\2(?=:|\(| ?=))/

/** Whether an item goes, by its name, e.g. "passwords" or "#start/posts", and by this behind those that it is in. */
type IsGone = (name: string, path: string) => boolean

/** A formatted text without some of its items: settings, words, variables, files that are loaded. */
export function withoutItems(text: string, isGone: IsGone, path = ''): string {
  return text.replace(ITEM, (_all, above, indent, head: string, inner: string, end) => {
    const [, loaded, , key = ''] = NAME.exec(head + inner) ?? []
    const name = loaded ?? key
    const here = [path, name].filter(Boolean).join('/')
    if (name && isGone(name, here)) return ''
    return above + indent + head + withoutItems(inner, isGone, here) + end
  })
}

/** Code whose lists do not name guards that are gone; one that names nothing else is left to the compiler. */
export const withoutGuards = (text: string, guards: readonly string[]): string =>
  guards.reduce((rest, name) => {
    const item = `(\\bguards(?:: | = )\\[[^\\]]*?)(?:'${name}', |, '${name}'(?=\\]))`
    return rest.replaceAll(RegExp(item, 'g'), '$1')
  }, text)

/** Code without imports that nothing uses, as "Organize Imports" of an editor leaves it. */
export function withoutUnusedImports(path: string, text: string): string {
  const service = ts.createLanguageService({
    fileExists: () => false,
    getCompilationSettings: () => ({ noResolve: true, noLib: true }),
    getCurrentDirectory: () => '',
    getDefaultLibFileName: () => '',
    getScriptFileNames: () => [path],
    getScriptSnapshot: () => ts.ScriptSnapshot.fromString(text),
    getScriptVersion: () => '',
    readFile: () => undefined,
  })
  const mode = ts.OrganizeImportsMode.RemoveUnused
  const [edit] = service.organizeImports({ type: 'file', fileName: path, mode }, {}, {})
  return (edit?.textChanges ?? []).reduceRight(
    (rest, { span: { start, length }, newText }) =>
      rest.slice(0, start) + newText + rest.slice(start + length),
    text
  )
}
