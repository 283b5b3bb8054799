import type { Workspace } from '#removal/workspace'

/** What prints error sentences: see tests/helpers/error_sentences.ts. */
const PRINTS = /^(?:bin|commands|config|database|modules|providers|start)\/.*\.[jt]s$/

const CELL = /^\| (`.*`) \| (.*) \|$/
const BETWEEN = '`<br>`'

const DOCUMENT = 'docs/troubleshooting.md'

/** Whether a row is about error sentences: it goes with the last of them. */
export const isRowOfSentences = (document: string, row: string) =>
  document === DOCUMENT && CELL.test(row)

/** Remembers which error sentences are printed; what it returns takes out those that no longer are. */
export function sentencesToRemove(workspace: Workspace): () => void {
  const wasPrinted = printedIn(workspace)
  return () => {
    const isPrinted = printedIn(workspace)
    const isGone = (sentence: string) => wasPrinted(sentence) && !isPrinted(sentence)
    workspace.edit(DOCUMENT, (text) =>
      text
        .split('\n')
        .flatMap((line) => withoutSentences(line, isGone))
        .join('\n')
    )
  }
}

function withoutSentences(line: string, isGone: (sentence: string) => boolean): string[] {
  const [, cell, advice] = CELL.exec(line) ?? []
  const sentences = cell?.slice(1, -1).split(BETWEEN) ?? []
  if (!sentences.some(isGone)) {
    return [line]
  }
  const left = sentences.filter((sentence) => !isGone(sentence))
  return left.length ? [`| \`${left.join(BETWEEN)}\` | ${advice} |`] : []
}

/** Whether one file has all that a sentence says; `…` in it stands for anything. */
function printedIn(workspace: Workspace): (sentence: string) => boolean {
  const texts = [...workspace.paths]
    .filter((path) => PRINTS.test(path))
    .map((path) => asOneText(workspace.read(path)))
  return (sentence) => {
    const parts = sentence.split('…').filter(Boolean)
    return texts.some((text) => parts.every((part) => text.includes(part)))
  }
}

/** Code in which a text stands as it is printed. */
const asOneText = (code: string) =>
  code
    .replaceAll(/['"`]\s*\+\s*['"`]/g, '')
    .replaceAll(/\\n/g, ' ')
    .replaceAll(/\\(.)/g, '$1')
