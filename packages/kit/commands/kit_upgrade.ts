import { existsSync } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { kitViewPath, kitViews } from '#http/kit_views'
import { KitCommand } from '#process/kit_command'
import { withNewlines } from '#process/line_ends'
import { type StubFile, stubsIn, writeStubs, stubsRoot } from '#stubs/main'

const PROVIDER = /^(?!\s*\/\/).*providers\/(\w+)_provider['"`]/gm

/** A setting in a config file, by its name. */
const SETTING = /^\s+(\w+):/gm

/** The kit's is for an application that has no layout: what others have here is no copy. */
const FRAME = 'components/oauth/page'

/** What there is to do in an application after "npm install" has brought another version of this package. */
export default class KitUpgrade extends KitCommand {
  static commandName = 'kit:upgrade'
  static description =
    'Publish new migrations of the features that are on, and show which settings and copied pages have changed'
  static help = [
    'A feature is on when adonisrc.ts lists its provider. Files that exist are not changed.',
  ]

  async run() {
    this.assertSources()
    /* The application's own and the kit's alike. */
    const rcFile = await readFile(this.app.makePath('adonisrc.ts'), 'utf8')
    const providers = [...rcFile.matchAll(PROVIDER)].map(([, name]) => name!)
    const stubs = await this.#stubsOf(providers)
    const isMigration = ({ path }: StubFile) => path.startsWith('database/migrations/')
    const isMissing = ({ path }: StubFile) => !existsSync(this.app.makePath(path))

    const migrations = stubs.filter((stub) => isMigration(stub) && isMissing(stub))
    await writeStubs(await this.createCodemods(), this.app.makePath(), migrations)
    const others = stubs.filter((stub) => !isMigration(stub))
    const compared = [...others, ...this.#copiedViews()]
    const changes = await Promise.all(compared.map((stub) => this.#compare(stub)))
    changes.flat().forEach((line) => this.logger.info(line))
    this.logger.info(
      migrations.length
        ? 'Read the new migrations, then run "node ace migration:run".'
        : 'There are no new migrations.'
    )
  }

  /** What belongs to these providers. An application on @adonisjs/auth has settings of its own form. */
  async #stubsOf(providers: readonly string[]): Promise<StubFile[]> {
    const keys = providers.map((name) => name.replaceAll('_', '-'))
    const published = await readdir(join(stubsRoot, 'publish'))
    const on = published.filter((key) => keys.includes(key))
    const stubs = await stubsOfAll('publish', on)
    if (!providers.includes('host')) {
      /* Two features may publish the same file. */
      return [...new Map(stubs.map((stub) => [stub.path, stub])).values()]
    }
    const configured = await stubsOfAll('configure', ['oauth2', 'mcp', 'passkeys'])
    return [
      ...stubs.filter(({ path }) => path.startsWith('database/')),
      ...configured.filter(({ path }) => path.startsWith('config/')),
    ]
  }

  /** Where the application may have copies of the kit's views. */
  #copiedViews(): StubFile[] {
    const views = kitViews().filter((name) => name !== FRAME)
    return views.map((name) => ({
      path: this.app.relativePath(this.app.viewsPath(`${name}.edge`)),
      contentsFromFile: kitViewPath(name),
    }))
  }

  /** How the application's copy differs from the kit's; nothing when it does not, or was deleted. */
  async #compare({ path, contentsFromFile }: StubFile): Promise<string[]> {
    const own = await read(this.app.makePath(path)).catch(() => null)
    const stub = await read(contentsFromFile)
    if (own === null || own === stub) {
      return []
    }
    const added = linesOnlyIn(stub, own)
    const removed = linesOnlyIn(own, stub)
    const isView = path.endsWith('.edge')
    const settings = new Set(isView ? [] : [...stub.matchAll(SETTING)].map(([, name]) => name!))
    const missing = [...settings].filter((name) => !new RegExp(`\\b${name}\\b`).test(own))
    const without = missing.length ? `, and has no ${missing.join(', ')}` : ''
    const difference = `${path} differs from the kit's (+${added} −${removed} lines)${without}`
    return [`${difference}. Compare it with ${contentsFromFile}`]
  }
}

const read = async (file: string) => withNewlines(await readFile(file, 'utf8'))

function linesOnlyIn(text: string, other: string): number {
  const lines = new Set(other.split('\n'))
  return text.split('\n').filter((line) => !lines.has(line)).length
}

async function stubsOfAll(kind: 'publish' | 'configure', names: readonly string[]) {
  const lists = await Promise.all(names.map((name) => stubsIn(kind, name)))
  return lists.flat()
}
