import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { Kernel } from '@adonisjs/core/ace'
import { AppFactory } from '@adonisjs/core/factories/app'
import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import KitEject from 'adonis-auth-kit/commands/kit_eject'
import { kitWords } from '#kit/http/words'

const KIT = app.makePath('packages/kit/resources')
const readKit = (path: string) => readFile(join(KIT, path), 'utf8')

/** An application with folders of these languages, in a folder of its own. */
async function createProject(languages = ['en', 'de']) {
  const root = await mkdtemp(join(tmpdir(), 'eject-'))
  getActiveTest()!.cleanup(() => rm(root, { recursive: true }))
  const project = new AppFactory().create(pathToFileURL(`${root}/`))
  await project.init()
  for (const language of languages) {
    await mkdir(join(root, 'resources/lang', language), { recursive: true })
  }
  return {
    eject: async (...argv: string[]) => {
      const kernel = new Kernel(project as any)
      kernel.ui.switchMode('raw')
      const command = await kernel.create(KitEject, argv)
      await command.exec()
      const output = kernel.ui.logger.getLogs().map(({ message }) => message)
      return { exitCode: command.exitCode ?? 0, output: output.join('\n') }
    },
    files: async () => {
      const entries = await readdir(root, { recursive: true, withFileTypes: true })
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
    },
    read: (path: string) => readFile(join(root, path), 'utf8'),
    words: async (path: string) =>
      JSON.parse(await readFile(join(root, 'resources/lang', path), 'utf8')),
    write: (path: string, text: string) => writeFile(join(root, 'resources/lang', path), text),
    /** What people read, by language and key. */
    async loaded() {
      const location = join(root, 'resources/lang')
      const load = await kitWords({ location }).resolver(project as any)
      return load({ defaultLocale: 'en', formatter: null!, loaders: [] }).load()
    },
  }
}

test.group('kit:eject', () => {
  test('copies a view, with or without "pages/" before its name', async ({ assert }) => {
    const project = await createProject()
    assert.equal((await project.eject('view', 'oauth/consent')).exitCode, 0)
    const { output } = await project.eject('view', 'components/icon.edge')
    assert.include(output, 'resources/views/components/icon.edge')
    for (const name of ['pages/oauth/consent', 'components/icon']) {
      const path = `views/${name}.edge`
      assert.equal(await project.read(`resources/${path}`), await readKit(path))
    }
  })

  test('a view that is there already stays, unless it is forced', async ({ assert }) => {
    const project = await createProject()
    await project.eject('view', 'error')
    const path = 'resources/views/pages/error.edge'
    await project.write('../views/pages/error.edge', 'mine')
    const { exitCode, output } = await project.eject('view', 'error')
    assert.equal(exitCode, 1)
    assert.include(output, `${path} is there already`)
    assert.equal(await project.read(path), 'mine')
    await project.eject('view', 'error', '--force')
    assert.equal(await project.read(path), await readKit('views/pages/error.edge'))
  })

  test('copies a file of words in each language of the application', async ({ assert }) => {
    const project = await createProject(['en', 'de', 'fr'])
    await project.eject('words', 'mails')
    const english = JSON.parse(await readKit('lang/en/mails.json'))
    assert.deepEqual(await project.words('en/mails.json'), english)
    assert.deepEqual(await project.words('fr/mails.json'), english)
    const german = JSON.parse(await readKit('lang/de/mails.json'))
    assert.deepEqual(await project.words('de/mails.json'), german)
  })

  test('a name that is unknown stops it before anything is written', async ({ assert }) => {
    const project = await createProject()
    for (const [kind, ...names] of [
      ['view', 'oauth/consent', 'nonsense', 'error'],
      ['words', 'mails', 'nonsense'],
    ]) {
      const { exitCode, output } = await project.eject(kind!, ...names)
      assert.equal(exitCode, 1)
      assert.include(output, '"nonsense"')
      assert.isEmpty(await project.files())
    }
  })

  test('copies everything that is named', async ({ assert }) => {
    const project = await createProject(['en'])
    await project.eject('words', 'mails', 'pages.consent', 'pages.device')
    await project.eject('view', 'error', 'components/icon')
    assert.sameMembers(await project.files(), [
      'mails.json',
      'pages.json',
      'error.edge',
      'icon.edge',
    ])
    assert.sameMembers(Object.keys(await project.words('en/pages.json')), ['consent', 'device'])
  })

  test("adds a group of words to the application's own", async ({ assert }) => {
    const project = await createProject(['en'])
    await project.write('en/pages.json', '{ "billing": { "title": "Billing" } }')
    await project.eject('words', 'pages.consent')
    const { consent } = JSON.parse(await readKit('lang/en/pages.json'))
    assert.deepEqual(await project.words('en/pages.json'), {
      billing: { title: 'Billing' },
      consent,
    })
  })

  test('words that are there already stay, unless they are forced, and the others come', async ({
    assert,
  }) => {
    const project = await createProject(['de', 'fr'])
    const own = { consent: { title: 'Mine', other: 'Other' } }
    await project.write('de/pages.json', JSON.stringify(own))
    const kit = async (language: string) =>
      JSON.parse(await readKit(`lang/${language}/pages.json`)).consent
    assert.equal((await project.eject('words', 'pages.consent')).exitCode, 0)
    const german = await kit('de')
    assert.deepEqual(await project.words('de/pages.json'), {
      consent: { ...german, ...own.consent },
    })
    assert.deepEqual(await project.words('fr/pages.json'), { consent: await kit('en') })

    const { exitCode, output } = await project.eject('words', 'pages.consent')
    assert.equal(exitCode, 1)
    assert.include(output, '"pages.consent" is there already. "--force" overwrites it')
    await project.eject('words', 'pages.consent', '--force')
    assert.deepEqual(await project.words('de/pages.json'), {
      consent: { other: 'Other', ...german },
    })
  })

  test('a file whose lines end in "\\r\\n" keeps them so', async ({ assert }) => {
    const project = await createProject(['en'])
    await project.write('en/pages.json', '{\r\n  "billing": {}\r\n}\r\n')
    await project.eject('words', 'pages.consent')
    await project.eject('view', 'error')
    const path = '../views/pages/error.edge'
    await project.write(path, 'mine\r\n')
    await project.eject('view', 'error', '--force')
    for (const file of ['en/pages.json', path]) {
      const text = await project.read(`resources/lang/${file}`)
      assert.isAbove(text.split('\r\n').length, 3, file)
      assert.notMatch(text, /[^\r]\n/, file)
    }
  })

  test('{$self} is refused with what there is, and nothing is written')
    .with([
      ['view', 'consent', /There is no view "consent"\. Known: .*pages\/oauth\/consent/],
      ['view', '../../package', /There is no view/],
      ['words', 'consent', /There are no words "consent"\. Known: .*pages\.consent/],
      ['words', 'pages.consent.nothing', /There are no words/],
      ['words', '../../package', /There are no words/],
      ['words', 'pages.__proto__', /There are no words/],
      ['controller', 'x', /"view" or "words", not "controller"/],
    ] as const)
    .run(async ({ assert }, [kind, name, message]) => {
      const project = await createProject()
      const { exitCode, output } = await project.eject(kind, name)
      assert.equal(exitCode, 1)
      assert.match(output, message)
      assert.deepEqual(await project.files(), [])
    })

  test('an application without languages is told where words of OAuth can be replaced', async ({
    assert,
  }) => {
    const project = await createProject([])
    const { exitCode, output } = await project.eject('words', 'pages.consent')
    assert.equal(exitCode, 1)
    assert.include(output, 'resources/oauth_words.json')
  })
})

test.group('Words of the kit', () => {
  test('a file beside the folders of languages is no language', async ({ assert }) => {
    const project = await createProject(['en'])
    await project.write('.DS_Store', '')
    assert.deepEqual(Object.keys(await project.loaded()), ['en'])
    const { exitCode } = await project.eject('words', 'mails')
    assert.equal(exitCode, 0)
    assert.sameMembers(await project.files(), ['.DS_Store', 'mails.json'])
  })

  test("are of the application's languages, English where the kit does not speak one", async ({
    assert,
  }) => {
    const project = await createProject(['fr', 'de'])
    const words = await project.loaded()
    assert.sameMembers(Object.keys(words), ['fr', 'de'])
    assert.equal(words.fr!['pages.consent.allow'], 'Allow')
    assert.notEqual(words.de!['pages.consent.allow'], 'Allow')
  })
})
