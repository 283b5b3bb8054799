import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import Configure from '@adonisjs/core/commands/configure'
import { Kernel } from '@adonisjs/core/ace'
import { AppFactory } from '@adonisjs/core/factories/app'
import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'

import { configure } from 'adonis-auth-kit'
import { replaceForTest } from '#starter/helpers/replace'

const FIXTURE = 'packages/starter/fixtures/existing_app'
const SESAME = '@julr/sesame/sesame_provider'
const EDITED = ['adonisrc.ts', 'config/auth.ts', 'package.json', 'start/env.ts', 'start/kernel.ts']

/** An application on @adonisjs/auth, as far as configure reads it, in a folder of its own. */
async function createProject() {
  const root = await mkdtemp(join(tmpdir(), 'configure-'))
  getActiveTest()!.cleanup(() => rm(root, { recursive: true }))
  /* Before adonisrc.ts is there, whose packages could not be found from this folder. */
  const project = new AppFactory().create(pathToFileURL(`${root}/`))
  await project.init()
  const at = (path: string) => join(root, path)
  for (const path of [...EDITED, 'tsconfig.json', '.env.example']) {
    await mkdir(dirname(at(path)), { recursive: true })
    await writeFile(at(path), await readFile(app.makePath(FIXTURE, path)))
  }
  await writeFile(at('.env'), 'APP_KEY=a-key-of-the-application\n')

  const read = (path: string) => readFile(at(path), 'utf8')
  const replace = async (path: string, from: string, to: string) =>
    writeFile(at(path), (await read(path)).replace(from, to))
  const replaceAll = async (path: string, from: string, to: string) =>
    writeFile(at(path), (await read(path)).replaceAll(from, to))
  return {
    read,
    replaceAll,
    files: async () => (await readdir(root, { recursive: true })).sort(),
    replace,
    async addSesame() {
      await replace('adonisrc.ts', 'providers: [', `providers: [\n() => import('${SESAME}'),`)
      await writeFile(at('config/sesame.ts'), 'export default { \n  scopes: {\n  },\n}\n')
    },
    async configure(...argv: string[]) {
      const kernel = new Kernel(project as any)
      kernel.ui.switchMode('raw')
      const command = await kernel.create(Configure, ['adonis-auth-kit', ...argv])
      await configure(command)
      const logs = kernel.ui.logger.getLogs().map(({ message }) => message)
      return { exitCode: command.exitCode, output: logs.join('\n') }
    },
  }
}

test.group('configure', (group) => {
  group.each.timeout(60_000)

  test('writes config, migrations and an example, and registers what they need', async ({
    assert,
  }) => {
    const project = await createProject()
    const { exitCode } = await project.configure('--features=mcp')

    assert.notEqual(exitCode, 1)
    assert.includeMembers(await project.files(), [
      'app/mcp/servers/app_server.ts',
      'app/mcp/tools/who_am_i.ts',
      'config/auth_server.ts',
      'config/mcp.ts',
      'config/oauth2.ts',
      'config/scopes.ts',
      'database/migrations/2026_09_30_000003_create_oauth_access_tokens_table.ts',
      'database/migrations/2026_11_21_000040_create_mcp_tasks_table.ts',
      'start/mcp.ts',
    ])
    const rcFile = await project.read('adonisrc.ts')
    const [host, oauth2, mcp] = ['host', 'auth_oauth2', 'mcp'].map((name) =>
      rcFile.indexOf(`adonis-auth-kit/providers/${name}_provider`)
    )
    assert.isTrue(0 < host! && host! < oauth2! && oauth2! < mcp!)
    assert.include(rcFile, '#start/mcp')
    const kernel = await project.read('start/kernel.ts')
    assert.include(kernel, 'adonis-auth-kit/http/middleware/route_cors_middleware')
    assert.include(kernel, 'adonis-auth-kit/auth/middleware/intended_url_middleware')
    assert.include(kernel, 'authenticated: () =>')
    assert.match(await project.read('.env'), /^OAUTH_KEY=[\w-]{43}$/m)
    assert.match(await project.read('.env.example'), /^OAUTH_KEY=$/m)
    assert.include(await project.read('start/env.ts'), 'OAUTH_KEY: Env.schema.secret()')
  })

  test('what the make commands of MCP write can be imported by its alias', async ({ assert }) => {
    const project = await createProject()
    await project.configure('--features=mcp')
    const { imports } = JSON.parse(await project.read('package.json'))
    for (const kind of ['apps', 'prompts', 'resources', 'servers', 'tools']) {
      assert.equal(imports[`#mcp/${kind}/*`], `./app/mcp/${kind}/*.js`)
    }
  })

  test('says which guard is missing where OAuth comes after another feature', async ({
    assert,
  }) => {
    const project = await createProject()
    const first = await project.configure('--features=json_api')
    assert.notInclude(first.output, 'no guard')
    const second = await project.configure('--features=mcp')
    assert.include(second.output, 'config/auth_server.ts has no guard that accepts access tokens')
    const guard = `oauth: oauth2Guard({ provider: 'users' })`
    assert.include(second.output, `add "${guard}"`)
    await project.replace('config/auth_server.ts', 'guards: {', `guards: {\n    ${guard},`)
    assert.notInclude((await project.configure('--features=mcp')).output, 'no guard')
  })

  test('a flag for each feature is one for all of them, and one without names is refused', async ({
    assert,
  }) => {
    const project = await createProject()
    await project.configure('--features=json_api', '--features=passkeys')
    assert.includeMembers(await project.files(), [
      'app/resources/user_resource.ts',
      'config/passkeys.ts',
    ])
    const { exitCode, output } = await project.configure('--features')
    assert.equal(exitCode, 1)
    assert.include(output, 'There is no feature')
  })

  test('oauth2 alone brings no MCP', async ({ assert }) => {
    const project = await createProject()
    await project.configure('--features=oauth2')
    const files = await project.files()
    assert.include(files, 'config/oauth2.ts')
    assert.deepEqual(
      files.filter((path) => path.includes('mcp')),
      []
    )
    assert.notInclude(await project.read('adonisrc.ts'), 'mcp_provider')
  })

  test('JSON:API and passkeys bring no OAuth server', async ({ assert }) => {
    const project = await createProject()
    await project.configure('--features=json_api,passkeys')
    const files = await project.files()
    assert.includeMembers(files, [
      'app/controllers/passkeys_controller.ts',
      'app/resources/user_resource.ts',
      'config/passkeys.ts',
      'database/migrations/2026_11_21_000032_create_passkeys_table.ts',
      'start/passkeys.ts',
    ])
    assert.isEmpty(files.filter((path) => path.includes('oauth') || path.includes('mcp')))
    assert.notInclude(await project.read('config/auth_server.ts'), 'oauth')
    const rcFile = await project.read('adonisrc.ts')
    assert.include(rcFile, 'adonis-auth-kit/providers/auth_passkeys_provider')
    assert.notInclude(rcFile, 'oauth2_provider')
    const kernel = await project.read('start/kernel.ts')
    assert.include(kernel, 'adonis-auth-kit/json_api/middleware/json_api_resources_middleware')
    assert.include(kernel, 'jsonApi: () =>')
    assert.notInclude(kernel, 'scopes: () =>')
    assert.notInclude(await project.read('package.json'), '#mcp/')
  })

  test('files whose lines end in "\\r\\n" keep them so', async ({ assert }) => {
    const project = await createProject()
    await project.addSesame()
    for (const path of ['package.json', 'config/sesame.ts', 'config/auth.ts']) {
      await project.replaceAll(path, '\n', '\r\n')
    }
    await project.configure('--auth=sesame', '--features=mcp')
    assert.include(await project.read('config/sesame.ts'), `'mcp:use': `)
    assert.include(await project.read('package.json'), '#mcp/servers/*')
    for (const path of ['package.json', 'config/sesame.ts']) {
      assert.notMatch(await project.read(path), /[^\r]\n/, path)
    }
  })

  test('a key that is in use stays', async ({ assert }) => {
    const project = await createProject()
    await project.configure('--features=oauth2')
    const before = await project.read('.env')
    await project.configure('--features=oauth2,mcp')
    assert.equal(await project.read('.env'), before)
  })

  test('people are recognised by the session guard that config/auth.ts names', async ({
    assert,
  }) => {
    const project = await createProject()
    await project.replace('config/auth.ts', 'web: sessionGuard', 'people: sessionGuard')
    await project.configure('--features=oauth2')
    assert.include(await project.read('config/auth_server.ts'), `sessionGuard: 'people'`)
  })

  test('Sésame without its settings is refused with a sentence', async ({ assert }) => {
    const project = await createProject()
    await project.replace('adonisrc.ts', 'providers: [', `providers: [\n() => import('${SESAME}'),`)
    const { exitCode, output } = await project.configure('--features=mcp')
    assert.equal(exitCode, 1)
    assert.include(output, 'There is no config/sesame.ts')
  })

  test('beside Sésame, its tokens protect MCP', async ({ assert }) => {
    const project = await createProject()
    await project.addSesame()
    await project.configure('--features=mcp')

    const files = await project.files()
    assert.isEmpty(files.filter((path) => path.includes('oauth')))
    assert.include(await project.read('config/auth_server.ts'), `oauth: sesameGuard(`)
    assert.match(await project.read('config/sesame.ts'), /scopes: \{\n +'mcp:use': /)
    const rcFile = await project.read('adonisrc.ts')
    const [sesame, mcp] = ['auth_sesame', 'mcp'].map((name) =>
      rcFile.indexOf(`adonis-auth-kit/providers/${name}_provider`)
    )
    assert.isTrue(0 < sesame! && sesame! < mcp!)
    assert.notInclude(rcFile, 'auth_oauth2_provider')
    assert.notInclude(await project.read('start/kernel.ts'), 'scopes: () =>')
    assert.notInclude(await project.read('.env'), 'OAUTH_KEY')
  })

  test('without a terminal, features that nobody names are refused with a sentence', async ({
    assert,
  }) => {
    replaceForTest(process.stdin, 'isTTY', false)
    const project = await createProject()
    const before = await project.files()
    const { exitCode, output } = await project.configure()
    assert.equal(exitCode, 1)
    assert.include(output, 'name the features, e.g. "--features=oauth2,mcp,json_api,passkeys"')
    assert.deepEqual(await project.files(), before)
  })

  test('refuses {$self} and writes nothing')
    .with([
      'an unknown feature',
      'an application without @adonisjs/auth',
      'a taken alias',
      'Sésame where it is not installed',
      'an OAuth server beside Sésame',
      'an unknown OAuth server',
    ])
    .run(async ({ assert }, reason) => {
      const project = await createProject()
      if (reason === 'an OAuth server beside Sésame') {
        await project.addSesame()
      }
      if (reason === 'an application without @adonisjs/auth') {
        await project.replace('adonisrc.ts', '@adonisjs/auth/auth_provider', '#providers/auth')
      }
      if (reason === 'a taken alias') {
        await project.replace('package.json', './config/*.js', './settings/*.js')
      }
      const files = await project.files()
      const flag = reason === 'an unknown feature' ? 'oauth3' : 'oauth2'
      const auth = reason === 'an unknown OAuth server' ? 'passport' : 'sesame'
      const flags = reason.includes('OAuth server') || reason.startsWith('Sésame')
      const { exitCode, output } = await project.configure(
        `--features=${flag}`,
        ...(flags ? [`--auth=${auth}`] : [])
      )
      assert.equal(exitCode, 1)
      assert.match(
        output,
        /There is no (feature "oauth[23]"|OAuth server "passport")|does not list|has the alias "#config/
      )
      assert.deepEqual(await project.files(), files)
    })
})
