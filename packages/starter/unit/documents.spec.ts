import { globSync } from 'node:fs'
import { access, readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { settingsPage } from '#starter/documents/settings'

const read = (path: string) => readFile(app.makePath(path), 'utf8')
const exists = (path: string) =>
  access(app.makePath(path)).then(
    () => true,
    () => false
  )

/** Whether a path is of this repository, or one that "node ace configure" writes into another application. */
async function isThere(path: string) {
  const written = `packages/kit/stubs/configure/*/${path}{.stub,}`
  return (await exists(path)) || globSync(written, { cwd: app.makePath() }).length > 0
}

/** A variable in a table of docs/settings.md. */
const VARIABLE = /`([A-Z][A-Z_]+)`/g

/** Files and folders that a document names in backticks. */
const PATH =
  /`((?:\.ci|app|bin|commands|config|database|eslint|packages|providers|start|tests)\/[\w./-]*)`/g

/** The first name in backticks, and the module of the kit that it is "of". */
const EXPORT = /`(?:new |await |\.use\()*(\w+)[^`]*` of\s+`(adonis-auth-kit\/[\w/]+)`/g

/** Targets of links that are no addresses. */
const LINK = /\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g

/** The end of a row that names a test: its file, and its title. */
const PROOF = /\| `(packages\/[^`]+)` \| (.+) \|$/gm

const ROOT_DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'UPGRADING.md',
  'CHANGELOG.md',
  'AGENTS.md',
]
const pages = (await readdir(app.makePath('docs'))).filter((name) => name.endsWith('.md'))
const skills = (await readdir(app.makePath('.agents/skills'))).map((name) => ({
  name,
  document: `.agents/skills/${name}/SKILL.md`,
}))
const documents = [
  ...ROOT_DOCUMENTS,
  ...pages.map((name) => `docs/${name}`),
  ...skills.map(({ document }) => document),
]

test.group('Documents', () => {
  test('the README has at most 200 lines, and leads to every page of docs/', async ({ assert }) => {
    const text = await read('README.md')
    assert.isAtMost(text.split('\n').length, 200)
    for (const page of pages) assert.include(text, `(docs/${page})`)
  })

  test('the skill {name} has the front matter by which agents find it, and is short')
    .with(skills)
    .run(async ({ assert }, { name, document }) => {
      const text = await read(document)
      const [, named, description] =
        /^---\nname: ([a-z0-9-]{1,64})\ndescription: ([^\n]{1,1024})\n---\n/.exec(text) ?? []
      assert.equal(named, name)
      assert.match(description!, /\bUse when\b/)
      assert.isAtMost(text.split('\n').length, 120)
    })

  test('AGENTS.md is short, and CLAUDE.md and .claude/skills lead to the same texts', async ({
    assert,
  }) => {
    const text = await read('AGENTS.md')
    assert.isAtMost(text.split('\n').length, 100)
    assert.equal(await read('CLAUDE.md'), '@AGENTS.md\n')
    for (const { name } of skills) assert.isTrue(await exists(`.claude/skills/${name}/SKILL.md`))
  })

  test('{$self} links to files that exist')
    .with(documents)
    .run(async ({ assert }, document) => {
      for (const [, target] of (await read(document)).matchAll(LINK)) {
        assert.isTrue(await exists(join(dirname(document), target!)), `${document}: ${target}`)
      }
    })

  test('{$self} names files that exist')
    .with(documents.filter((document) => document !== 'CHANGELOG.md'))
    .run(async ({ assert }, document) => {
      const text = await read(document)
      for (const [, path] of text.matchAll(PATH)) {
        assert.isTrue(await isThere(path!), `${document} names ${path}`)
      }
    })

  test('docs/map.md names files that are in the folder of their row', async ({ assert }) => {
    for (const row of (await read('docs/map.md')).split('\n')) {
      const folder = /`(packages\/kit\/[\w/]+\/)/.exec(row)?.[1] ?? '.'
      for (const [, name] of row.matchAll(/`(\w+\.ts)`/g)) {
        assert.isTrue(await exists(join(folder, name!)), row)
      }
    }
  })

  test('{$self} names what the modules of the kit export')
    .with(documents.filter((document) => document !== 'CHANGELOG.md'))
    .run(async ({ assert }, document) => {
      const modules = (await read('packages/kit/API.md')).split(/^## /m)
      for (const [, name, module] of (await read(document)).matchAll(EXPORT)) {
        const exported = modules.find((section) => section.startsWith(`${module}\n`)) ?? ''
        assert.match(exported, new RegExp(`^(?:class |type |interface )?${name}\\b`, 'm'), module)
      }
    })

  test('every environment variable is in docs/settings.md and .env.example, and no other', async ({
    assert,
  }) => {
    const known = [...(await read('start/env.ts')).matchAll(/^ {2}([A-Z_]+): /gm)].map((m) => m[1]!)
    const rows = (await read('docs/settings.md')).match(/^\| `[A-Z].*$/gm)!
    const described = rows.flatMap((row) =>
      [...row.split('|')[1]!.matchAll(VARIABLE)].map((match) => match[1]!)
    )
    const example = [...(await read('.env.example')).matchAll(/^#?([A-Z_]+)=/gm)].map((m) => m[1]!)
    assert.sameMembers(described, known)
    assert.sameMembers(example, [...known, 'TZ'])
  })

  test('tests run with values of their own, whatever .env turns on', async ({ assert }) => {
    const named = async (file: string) =>
      [...(await read(file)).matchAll(/^#?([A-Z_]+)=/gm)].map((match) => match[1]!)
    /* Where the services are; and of a provider, what counts only with its client. */
    const taken =
      /^PGSSLMODE$|^(DB|SQLITE|REDIS|SMTP)_|^(MICROSOFT|APPLE|GOOGLE|GITHUB|GITLAB|OIDC)_(?!CLIENT_ID|ISSUER)/
    const example = (await named('.env.example')).filter((name) => !taken.test(name))
    assert.includeMembers(await named('.env.test'), example)
  })

  test('docs/settings.md has what "npm run docs" writes', async ({ assert }) => {
    assert.equal(await read('docs/settings.md'), settingsPage())
  })

  test('docs/settings.md has every setting of every config file, functions that deliver mails among them', async ({
    assert,
  }) => {
    const page = await read('docs/settings.md')
    const ofWorkspaces = page.split('## config/workspaces.ts')[1]!
    const ofMailCodes = page.split('## config/mail_code.ts')[1]!.split('\n## ')[0]!
    for (const setting of ['models', 'invite', 'removed']) {
      assert.include(ofWorkspaces, `\n| \`${setting}\` |`)
    }
    assert.include(ofMailCodes, '\n| `notifier` |')
  })

  test('every row of {$self} is held by a test of that title')
    .with(['SECURITY.md', 'docs/openid-certification.md', 'docs/asvs.md'])
    .run(async ({ assert }, document) => {
      const rows = [...(await read(document)).matchAll(PROOF)]
      assert.isNotEmpty(rows)
      for (const [, file, title] of rows) {
        const text = (await read(file!)).replaceAll(/test\(\s+/g, 'test(')
        assert.isTrue(
          [`'${title}'`, `"${title}"`, `\`${title}\``].some(
            (quoted) => text.includes(`test(${quoted}`) || text.includes(`what: ${quoted}`)
          ),
          `${file} has the test "${title}"`
        )
      }
    })

  test('every requirement of docs/asvs.md is kept by a test, set by a setting that exists, or said to be neither', async ({
    assert,
  }) => {
    const text = await read('docs/asvs.md')
    const settings = await read('docs/settings.md')
    const rows = [
      ...text.matchAll(/^\| (V\d+\.\d+\.\d+) \| [^|]+ \| ([^|]+) \| ([^|]*?) ?\| (.+) \|$/gm),
    ]
    assert.lengthOf(rows, text.match(/^\| V\d/gm)!.length)
    assert.lengthOf(new Set(rows.map(([, id]) => id)), rows.length)
    for (const [, id, how, where, proof] of rows) {
      if (how === 'set') {
        const [, name] = /^`(\w+)`: ./.exec(proof!)!
        assert.include(settings, where === '`.env`' ? `\`${name}\`` : `\n| \`${name}\` |`, id)
      } else if (how === 'kept') assert.match(where!, /^`packages\/starter\/.+\.spec\.ts`$/, id)
      else assert.include(['yours', 'n/a'], how!, id)
    }
    for (const how of ['kept', 'set', 'yours', 'n/a']) {
      const said = new RegExp(`^\\| ${how} \\| (\\d+):`, 'm').exec(text)!
      assert.equal(Number(said[1]), rows.filter((row) => row[2] === how).length, how)
    }
  })
})
