import { dirname, join } from 'node:path/posix'

import { hasPath } from '#removal/code/references'
import { isRowOfSentences } from '#removal/steps/sentences'
import type { Workspace } from '#removal/workspace'

const PATH =
  /`((?:\.ci|app|bin|commands|config|database|eslint|modules|providers|start|tests)\/[\w./-]*)`/g
const LINK = /\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g
/** Its rows are variables, and the settings of config files, by which they are found. */
const SETTINGS = 'docs/settings.md'

const SENTENCE = /(?<=[.:?!])(?=\s+[A-Z`[*])/

/** The pages for people, and what agents read. */
export const isDocument = (path: string) =>
  /^(?:docs\/|\.agents\/skills\/[\w-]+\/)?[\w-]+\.md$/.test(path)

const FEATURES = 'docs/features.md'

/** What the documents no longer speak of, beside files and tests. */
export interface GoneTopics {
  variables: readonly string[]
  /** `docs/accounts.md#Passkeys` */
  sections: readonly string[]
  /** Texts in backticks in the first cell of a row. */
  signs: readonly string[]
  /** Names of features, by the same in `docs/features.md`. */
  names: readonly string[]
}

/** Takes out of the documents what names files, tests and variables that are gone. */
export function removeFromDocuments(workspace: Workspace, gone: GoneTopics): void {
  for (const path of [...workspace.paths].filter((name) => isDocument(name))) {
    if (path !== 'CHANGELOG.md') {
      const isGone = (text: string) =>
        !isRowOfSentences(path, text) &&
        (namesGone(workspace, path, text) ||
          namesVariable(text, gone.variables) ||
          (path !== SETTINGS && isRowAbout(text, gone.signs)) ||
          (path === FEATURES && isRowAbout(text, gone.names)))
      workspace.edit(path, (text) =>
        withoutGone(withoutSections(workspace, path, text, gone.sections), isGone)
          .split('\n')
          .map((line) => (isRowOfSentences(path, line) ? shortened(line, gone.variables) : line))
          .join('\n')
      )
    }
  }
  workspace.edit('CHANGELOG.md', (text) =>
    text.replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g, (link, words, target) =>
      workspace.below(join('.', target)).length ? link : words
    )
  )
}

/** A link, a path in backticks, or the title of a test in SECURITY.md. */
function namesGone(workspace: Workspace, document: string, text: string): boolean {
  const links = [...text.matchAll(LINK)].map(([, target]) => join(dirname(document), target!))
  const paths = [...text.matchAll(PATH)].map(([, path]) => path!.replace(/\/$/, ''))
  if ([...links, ...paths].some((path) => workspace.below(path).length === 0)) {
    return true
  }
  const [, file, title] = /^\| [^|]+ \| `(tests\/[^`]+)` \| (.+) \|$/.exec(text) ?? []
  return (
    !!file && !["'", '"', '`'].some((quote) => workspace.read(file).includes(quote + title + quote))
  )
}

const namesVariable = (text: string, variables: readonly string[]) =>
  variables.some((name) => text.includes(`\`${name}\``) || text.includes(`\`${name}=`))

/** A row without the variables that are gone, where it lists several. */
const shortened = (row: string, variables: readonly string[]) =>
  variables.reduce(
    (text, name) => text.replaceAll(new RegExp(`\`${name}\`, |, \`${name}\``, 'g'), ''),
    row
  )

/** Events and commands are known by how they begin: `oauth2:`, `node ace auth:tokens`. */
const isBeginning = (sign: string) => sign.endsWith(':') || sign.startsWith('node ace ')

/** The commands that were in files, as people type them. */
export const commandsOf = (texts: readonly string[]) =>
  texts.flatMap((text) => {
    const name = /static (?:override )?commandName = '([^']+)'/.exec(text)?.[1]
    return name ? [`node ace ${name} `] : []
  })

/** A row whose first cell names a route or a call, e.g. `POST /login/passkey`, or has what a config says: `PasskeysConfig: …`. */
function isRowAbout(text: string, signs: readonly string[]): boolean {
  const [, cell = ''] = /^\|([^|]*)\|/.exec(text) ?? []
  return [...cell.matchAll(/`([^`]+)`/g)].some(([, code]) =>
    signs.some((sign) =>
      sign.includes('/')
        ? hasPath(code!, sign)
        : code === sign ||
          code!.startsWith(`${sign}: `) ||
          (isBeginning(sign) && code!.startsWith(sign))
    )
  )
}

/** Sections that are named, and those of config files in docs/settings.md. */
function withoutSections(
  workspace: Workspace,
  document: string,
  text: string,
  named: readonly string[]
): string {
  return text
    .split(/^(?=## )/m)
    .filter((section) => {
      const heading = /^## (.+)$/m.exec(section.split('\n')[0]!)?.[1] ?? ''
      const isConfig = /^config\/\w+\.ts$/.test(heading)
      return (
        !named.includes(`${document}#${heading}`) && (!isConfig || workspace.paths.has(heading))
      )
    })
    .join('')
}

/** Rows and items go as a whole, other text by sentences. Code stays as it is. */
export function withoutGone(text: string, isGone: (text: string) => boolean): string {
  return text
    .split(/(```[\s\S]*?\n[ ]*```)/)
    .map((piece) => (piece.startsWith('```') ? piece : paragraphsWithout(piece, isGone)))
    .join('')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/\n*$/, '\n')
}

/** A row, an item or a heading begins a line; all other text goes up to an empty line. */
const PIECE = /\n(?=[ ]*(?:\||- |\d+\. |#))|\n(?=\n)/

const isListed = (piece: string) => /^\s*(?:\||- |\d+\. )/.test(piece)

function paragraphsWithout(text: string, isGone: (text: string) => boolean): string {
  return text
    .split(PIECE)
    .filter((piece) => !(isListed(piece) && isGone(piece.trim())))
    .map((piece) => (isGone(piece) ? withoutSentences(piece, isGone) : piece))
    .join('\n')
}

function withoutSentences(text: string, isGone: (text: string) => boolean): string {
  const [, indent, content, end] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text)!
  const left = content!.split(SENTENCE).filter((sentence) => !isGone(sentence))
  return indent + left.join('').trim() + end
}
