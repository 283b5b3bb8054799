import { globSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Kernel } from '@adonisjs/core/ace'
import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import ModuleExport from '#commands/module_export'
import { Aliases, importsOf } from '#export/imports'

const FIXTURE = app.makePath('tests/fixtures/existing_app')
const SHIELD = 'config/shield.ts'
const FEATURES = ['oauth2', 'mcp']

/** A copy of an application with `@adonisjs/auth`, which goes with the test. */
async function createApp() {
  const root = await mkdtemp(join(tmpdir(), 'existing-'))
  getActiveTest()!.cleanup(() => rm(root, { recursive: true }))
  await cp(FIXTURE, root, { recursive: true })
  await writeFile(join(root, '.env'), 'PORT=3333\n')
  const read = (path: string) => readFile(join(root, path), 'utf8')
  const change = async (path: string, from: string | RegExp, to: string) => {
    const text = await read(path)
    await writeFile(join(root, path), text.replace(from, to))
  }
  return {
    root,
    read,
    change,
    files: () => globSync('**/*.*', { cwd: root }).sort(),
    /** Every text by its path. */
    async texts() {
      const paths = globSync('{.,}*/**/*.*', { cwd: root }).concat(
        globSync('{.*,*.*}', { cwd: root })
      )
      const files = paths.filter((path) => /\.\w+$|^\.env/.test(path))
      return Object.fromEntries(
        await Promise.all(files.map(async (path) => [path, await read(path)] as const))
      )
    },
    run: (...argv: string[]) => run([...argv, `--to=${root}`, '--yes']),
  }
}

async function run(argv: string[]) {
  const kernel = new Kernel(app as any)
  kernel.ui.switchMode('raw')
  const command = await kernel.create(ModuleExport, argv)
  await command.exec()
  const logs = kernel.ui.logger.getLogs().map(({ message }) => message)
  return { exitCode: command.exitCode, output: logs.join('\n') }
}

type App = Awaited<ReturnType<typeof createApp>>

test.group('module:export refuses', () => {
  test('{what}')
    .with([
      {
        what: 'a folder that is no AdonisJS application',
        prepare: ({ root }: App) => rm(join(root, 'adonisrc.ts')),
        says: /is not an AdonisJS application/,
      },
      {
        what: 'another major version of AdonisJS',
        prepare: ({ change }: App) =>
          change('package.json', /"@adonisjs\/core": "[^"]+"/, '"@adonisjs/core": "^6.2.0"'),
        says: /need AdonisJS 7: package\.json has @adonisjs\/core \^6\.2\.0/,
      },
      {
        what: 'an application without CSRF protection',
        prepare: ({ change }: App) => change('package.json', /.*@adonisjs\/shield.*\n/, ''),
        says: /node ace add @adonisjs\/shield/,
      },
      {
        what: 'an alias that stands for something else there',
        prepare: ({ change }: App) =>
          change('package.json', '"imports": {', '"imports": { "#auth/*": "./app/auth/*.js",'),
        says: /has the alias "#auth\/\*" for \.\/app\/auth/,
      },
    ])
    .run(async ({ assert }, { prepare, says }) => {
      const target = await createApp()
      await prepare(target)
      const before = await target.texts()

      const { exitCode, output } = await target.run(...FEATURES)
      assert.equal(exitCode, 1)
      assert.match(output, says)
      assert.deepEqual(await target.texts(), before)
    })

  test('features that cannot be exported, and tells those that can', async ({ assert }) => {
    const target = await createApp()
    for (const names of [['session'], ['oauth2', 'nothing'], []]) {
      const { exitCode, output } = await target.run(...names)
      assert.equal(exitCode, 1)
      assert.match(output, /Known features: mcp, oauth2/)
    }
  })

  test('this application itself, and no application at all', async ({ assert }) => {
    assert.match((await run(['oauth2', `--to=${app.makePath()}`])).output, /another application/)
    assert.match((await run(['oauth2'])).output, /with "--to"/)
  })
})

test.group('module:export', () => {
  test('writes everything that what it writes imports', async ({ assert }) => {
    const target = await createApp()
    await target.run(...FEATURES)
    const files = new Set(target.files())
    const { imports, dependencies } = JSON.parse(await target.read('package.json'))
    const aliases = new Aliases(imports)

    for (const path of [...files].filter((one) => one.endsWith('.ts'))) {
      for (const specifier of importsOf(await target.read(path))) {
        if (specifier.startsWith('#')) {
          const found = aliases.resolve(specifier)
          assert.isTrue(found !== null && files.has(found.path), `${path}: ${specifier}`)
        }
      }
    }
    assert.property(dependencies, 'jose')
  })

  test('leaves this tool, tests and documents here', async ({ assert }) => {
    const target = await createApp()
    const before = target.files()
    await target.run(...FEATURES)
    const written = target.files().filter((path) => !before.includes(path))
    const strange = /export|^(?:tests|docs|benchmarks|public|app\/(?!mcp|services\/openid))\b/
    assert.isEmpty(written.filter((path) => strange.test(path)))
  })

  test('takes OAuth along with MCP, whose tokens it makes', async ({ assert }) => {
    const target = await createApp()
    await target.run('mcp')
    assert.include(target.files(), 'providers/auth_oauth2_provider.ts')
    assert.include(target.files(), 'providers/mcp_provider.ts')
  })

  test('leaves nothing in its pages that only this application has', async ({ assert }) => {
    const target = await createApp()
    await target.run('oauth2')
    const words = JSON.parse(await target.read('resources/oauth_words.json'))
    const pages = target.files().filter((path) => path.startsWith('resources/views/pages/oauth/'))
    assert.isNotEmpty(pages)
    for (const path of pages) {
      const page = await target.read(path)
      assert.notMatch(page, /\bt\(|@layout|@!|appName|deviceWords|\{\{\{|href="\/account/, path)
      for (const [key] of page.matchAll(
        /(?<=')(?:consent|device_sign_in|select_account|logout)\.\w+/g
      )) {
        assert.isString(words[key], `${path}: ${key}`)
      }
    }
  })

  test('adds a fresh key, and every variable that the config reads', async ({ assert }) => {
    const target = await createApp()
    await target.run('oauth2')
    assert.match(await target.read('.env'), /^PORT=3333\n\nOAUTH_KEY=[\w-]{43}\n$/)
    assert.match(await target.read('.env.example'), /# Signs access tokens.*\nOAUTH_KEY=\n/)
    const validations = await target.read('start/env.ts')
    for (const [name] of (await target.read('config/oauth2.ts')).matchAll(/(?<=env\.get\(')\w+/g)) {
      assert.include(validations, ` ${name}: Env.schema`)
    }
  })

  test('changes nothing the second time', async ({ assert }) => {
    const target = await createApp()
    await target.run(...FEATURES)
    const before = await target.texts()
    const { exitCode } = await target.run(...FEATURES)
    assert.equal(exitCode, 0)
    assert.deepEqual(await target.texts(), before)
  })

  test('writes nothing with --dry-run, and shows the plan and the rest', async ({ assert }) => {
    const target = await createApp()
    const before = await target.texts()
    const { output } = await target.run('oauth2', '--dry-run')
    assert.deepEqual(await target.texts(), before)
    assert.match(output, /create modules\/oauth2 \(\d+\)/)
    assert.match(output, /change package\.json/)
    assert.match(output, /toIntended/)
  })

  test('warns of changes that are not committed', async ({ assert }) => {
    const { output } = await (await createApp()).run('oauth2', '--dry-run')
    assert.match(output, /Commit the application first/)
  })

  test('keeps a file that has another text; --force replaces upstream files alone', async ({
    assert,
  }) => {
    const target = await createApp()
    await target.run('oauth2')
    const [module, config] = ['modules/oauth2/pkce.ts', 'config/oauth2.ts']
    const original = await target.read(module)
    for (const path of [module, config]) await writeFile(join(target.root, path), '// mine\n')

    const { output } = await target.run('oauth2')
    assert.match(output, /keep modules\/oauth2\/pkce\.ts/)
    assert.equal(await target.read(module), '// mine\n')

    await target.run('oauth2', '--force')
    assert.equal(await target.read(module), original)
    assert.equal(await target.read(config), '// mine\n')
  })
})

test.group('What module:export cannot edit', () => {
  test('{path} is printed with the lines to add, and left alone')
    .with([
      {
        path: 'adonisrc.ts',
        from: 'providers: [',
        to: 'providers: [...more].concat(',
        lines: [`() => import('#providers/auth_server_provider'),`],
      },
      {
        path: 'start/env.ts',
        from: 'Env.create(',
        to: 'create(',
        lines: ['OAUTH_KEY: Env.schema.secret.optional(),'],
      },
      {
        path: 'start/kernel.ts',
        from: /server\.use|router\.named/g,
        to: 'own',
        lines: [
          `() => import('#support/middleware/route_cors_middleware'),`,
          `scopes: () => import('#auth/middleware/scopes_middleware'),`,
        ],
      },
      {
        path: SHIELD,
        from: 'exceptRoutes: []',
        to: `exceptRoutes: ['/hook']`,
        lines: ['exceptRoutes: (ctx) => isMarked(ctx.route, csrfExempt),'],
      },
      {
        path: 'app/exceptions/handler.ts',
        from: 'super.handle(error, ctx)',
        to: 'answer(error, ctx)',
        lines: ['return super.handle(toOAuthProtocolError(error, ctx) ?? error, ctx)'],
      },
    ])
    .run(async ({ assert }, { path, from, to, lines }) => {
      const target = await createApp()
      await target.change(path, from, to)
      const before = await target.read(path)

      const { output } = await target.run('oauth2')
      for (const line of lines) assert.include(output, line)
      assert.include(output, `. ${path}: `)
      assert.equal(await target.read(path), before)
    })

  test('is only what is still missing', async ({ assert }) => {
    const target = await createApp()
    await target.change(
      'app/controllers/session_controller.ts',
      `response.redirect().toPath('/')`,
      `return response.redirect().toIntended('/')`
    )
    const { output } = await target.run('oauth2')
    assert.notInclude(output, 'left to do by hand')
  })

  test('config/cors.ts decides about other routes alone', async ({ assert }) => {
    const target = await createApp()
    const path = join(target.root, 'config/cors.ts')
    await writeFile(
      path,
      `import { defineConfig } from '@adonisjs/cors'\n\nexport default defineConfig({\n  enabled: true,\n})\n`
    )
    await target.run('oauth2')
    assert.include(await target.read('config/cors.ts'), 'enabled: (ctx) => !hasOwnCors(ctx)')
  })
})
