import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { args, flags } from '@adonisjs/core/ace'
import lodash from '@poppinss/utils/lodash'

import { KIT_RESOURCES, kitViewPath, kitViews } from '#http/kit_views'
import { languagesIn } from '#http/words'
import { KitCommand, assertCommand } from '#process/kit_command'
import { keepingLineEnds } from '#process/line_ends'

type Words = { [name: string]: string | Words }

/** Copies pages or words of the package into the application, where they take the place of the package's. */
export default class KitEject extends KitCommand {
  static commandName = 'kit:eject'
  static description =
    'Copy pages, or words, of adonis-auth-kit into the application to change them'
  static help = [
    'A view is named as its file, words by their key or by the file. What is there stays unless you pass "--force":',
    '```',
    '{{ binaryName }} kit:eject view oauth/consent',
    '{{ binaryName }} kit:eject view components/icon components/social',
    '{{ binaryName }} kit:eject words mails',
    '{{ binaryName }} kit:eject words pages.consent --force',
    '```',
  ]

  @args.string({ description: '"view" or "words"' })
  declare kind: string

  @args.spread({ description: 'e.g. "oauth/consent" or "pages.consent"' })
  declare names: string[]

  @flags.boolean({ description: 'Overwrite what the application has' })
  declare force: boolean

  /** What is written, by file, once all names are known to be right. */
  readonly #texts = new Map<string, string>()

  async run() {
    const eject =
      {
        view: (name: string) => this.#ejectView(name),
        words: (name: string) => this.#ejectWords(name),
      }[this.kind] ?? this.fail(`Name what to copy: "view" or "words", not "${this.kind}"`)
    for (const name of this.names) {
      await eject(name)
    }
    for (const [file, text] of this.#texts) {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text)
      this.logger.action(`write ${this.app.relativePath(file)}`).succeeded()
    }
  }

  async #ejectView(named: string): Promise<void> {
    const known = kitViews().sort()
    const asked = named.replace(/\.edge$/, '')
    const name =
      [asked, `pages/${asked}`].find((one) => known.includes(one)) ??
      this.fail(`There is no view "${named}". Known: ${known.join(', ')}`)
    const file = this.app.viewsPath(`${name}.edge`)
    const path = this.app.relativePath(file)
    const isFree = this.force || !existsSync(file)
    assertCommand(isFree, `${path} is there already. "--force" overwrites it`)
    const view = await readFile(kitViewPath(name), 'utf8')
    const before = await read(file)
    this.#texts.set(
      file,
      keepingLineEnds(before, () => view)
    )
  }

  /** In each language that the application has a folder for. */
  async #ejectWords(name: string): Promise<void> {
    const languages = await languagesIn(this.app.languageFilesPath())
    assertCommand(
      languages.length,
      'There is no folder of a language in resources/lang. Single words of the pages of OAuth can be replaced in resources/oauth_words.json'
    )
    const files = await Promise.all(languages.map((language) => this.#withWords(language, name)))
    const changed = files.filter(({ hasNew }) => hasNew || this.force)
    assertCommand(changed.length, `"${name}" is there already. "--force" overwrites it`)
    changed.forEach(({ file, text }) => this.#texts.set(file, text))
  }

  async #withWords(language: string, name: string) {
    const group = name.replace(/\..*/, '')
    const words = await readKitWords(language, group)
    const kit: Words = words ? { [group]: words } : {}
    if (!lodash.has(kit, name)) {
      return this.fail(`There are no words "${name}". Known: ${await knownWords()}`)
    }
    const file = this.app.languageFilesPath(language, `${group}.json`)
    const before = this.#texts.get(file) ?? (await read(file))
    const own: Words = JSON.parse(before || '{}')
    const { [group]: added } = lodash.pick(kit, name)
    const all = lodash.merge({}, own, added, this.force ? {} : own)
    const hasNew = JSON.stringify(all) !== JSON.stringify(own)
    const text = `${JSON.stringify(all, null, 2)}\n`
    return { file, hasNew, text: keepingLineEnds(before, () => text) }
  }
}

const kitFile = (language: string, group: string) =>
  join(KIT_RESOURCES, 'lang', language, `${group}.json`)

/** Empty for a file that is not there. */
const read = async (file: string) => (existsSync(file) ? readFile(file, 'utf8') : '')

const readJson = async (file: string): Promise<Words | undefined> =>
  existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : undefined

/** The English ones where the package does not speak a language. */
const readKitWords = async (language: string, group: string) =>
  /^\w+$/.test(group)
    ? ((await readJson(kitFile(language, group))) ?? readJson(kitFile('en', group)))
    : undefined

/** The files, and the groups of words in them. */
async function knownWords(): Promise<string> {
  const files = await readdir(join(KIT_RESOURCES, 'lang/en'))
  const groups = files.map((file) => file.replace('.json', '')).sort()
  const lists = groups.map(async (group) => {
    const words = await readJson(kitFile('en', group))
    const below = Object.entries(words!).filter(([, word]) => typeof word === 'object')
    return [group, ...below.map(([name]) => `${group}.${name}`)]
  })
  const names = await Promise.all(lists)
  return names.flat().join(', ')
}
