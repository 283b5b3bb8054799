import { existsSync, globSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { check, resolveConfig } from 'prettier'
import ts from 'typescript'

import { keepLogs } from '#starter/helpers/commands'

/** Kept apart from the application's own, and removed afterwards. */
const FOLDER = 'made_by_tests'

/** Commands of the kit, and of AdonisJS with stubs of the application; and the file that each writes. */
const GENERATORS: [command: string, args: string[], file: string][] = [
  ['make:json-resource', ['thing'], 'app/resources/$/thing_resource.ts'],
  [
    'make:json-resource',
    ['article', '--to-one=author:User', '--to-many=users', '--to-many=related:$/Article'],
    'app/resources/$/article_resource.ts',
  ],
  ['make:controller', ['thing'], 'app/controllers/$/things_controller.ts'],
  ['make:controller', ['act', 'index', 'store'], 'app/controllers/$/acts_controller.ts'],
  ['make:controller', ['page', '--resource'], 'app/controllers/$/pages_controller.ts'],
  ['make:listener', ['thing'], 'app/listeners/$/thing.ts'],
  ['make:model', ['user'], 'app/models/$/user.ts'],
  ['make:policy', ['thing', 'see'], 'app/policies/$/thing_policy.ts'],
  ['make:service', ['thing'], 'app/services/$/thing_service.ts'],
  ['make:transformer', ['thing'], 'app/transformers/$/thing_transformer.ts'],
  ['make:validator', ['thing'], 'app/validators/$/thing.ts'],
  ['make:mcp-app', ['thing'], 'app/mcp/apps/$/thing.ts'],
  ['make:mcp-app', ['app'], 'app/mcp/apps/$/app_app.ts'],
  ['make:mcp-prompt', ['argument'], 'app/mcp/prompts/$/argument_prompt.ts'],
  ['make:mcp-resource', ['resource'], 'app/mcp/resources/$/resource_resource.ts'],
  ['make:mcp-tool', ['mcp_request'], 'app/mcp/tools/$/mcp_request_tool.ts'],
  ['make:mcp-tool', ['tool'], 'app/mcp/tools/$/tool_tool.ts'],
  ['make:mcp-prompt', ['thing'], 'app/mcp/prompts/$/thing.ts'],
  ['make:mcp-resource', ['thing'], 'app/mcp/resources/$/thing.ts'],
  ['make:mcp-server', ['Server'], 'app/mcp/servers/$/server_server.ts'],
  ['make:mcp-server', ['thing'], 'app/mcp/servers/$/thing_server.ts'],
  ['make:mcp-tool', ['thing'], 'app/mcp/tools/$/thing.ts'],
]

const MODELS = ['app/models/$/thing.ts', 'app/models/$/article.ts']

const inFolder = (path: string) => app.makePath(path.replace('$', FOLDER))
const FILES = GENERATORS.map(([, , file]) => inFolder(file))

async function generate() {
  for (const model of MODELS.map(inFolder)) {
    await mkdir(app.makePath('app/models', FOLDER), { recursive: true })
    await writeFile(model, `export { default } from '#models/user'\n`)
  }
  for (const [command, [name, ...rest]] of GENERATORS) {
    const values = rest.map((value) => value.replace('$', FOLDER))
    const made = await ace.exec(command, [`${FOLDER}/${name}`, ...values])
    made.assertSucceeded()
  }
}

test.group('make commands', (group) => {
  group.setup(keepLogs)
  group.each.setup(() => async () => {
    await rm(app.viewsPath('mcp', FOLDER), { recursive: true, force: true })
    for (const path of [...MODELS, ...GENERATORS.map(([, , file]) => file)]) {
      await rm(inFolder(path.slice(0, path.indexOf('/$') + 2)), { recursive: true, force: true })
    }
  })

  test('make:json-resource --to-one={$self} is refused, and writes nothing')
    .with([':User', 'author:', 'by-line:User', 'author:User:id'])
    .run(async ({ assert }, relationship) => {
      const made = await ace.exec('make:json-resource', ['refused', `--to-one=${relationship}`])
      made.assertFailed()
      made.assertLog(
        `[ red(error) ] "${relationship}" is no relationship: give a name, a colon and a model, e.g. author:User`,
        'stderr'
      )
      assert.isFalse(existsSync(app.makePath('app/resources/refused_resource.ts')))
    })

  test('{0} {1} is refused, because no class begins so, and writes nothing')
    .with([
      ['make:json-resource', '2fa'],
      ['make:json-resource', 'refused/2fa'],
      ['make:json-resource', 'refused', '--to-one=author:2fa', '2fa'],
      ['make:mcp-app', '2fa'],
      ['make:mcp-prompt', '2fa'],
      ['make:mcp-resource', '2fa'],
      ['make:mcp-server', '2fa'],
      ['make:mcp-server', '日本'],
      ['make:mcp-tool', '2fa'],
    ])
    .run(async ({ assert }, [command, name, flag, wrong = name]) => {
      const made = await ace.exec(command!, [name!, ...(flag ? [flag] : [])])
      made.assertFailed()
      const message = `"${wrong}" names no class: begin the name with a letter`
      made.assertLog(`[ red(error) ] ${message}`, 'stderr')
      assert.lengthOf(globSync('app/{resources,mcp/*}/**/*{2,refused}*'), 0)
    })

  test('make:json-resource json is refused, whose class would have the name of its base', async ({
    assert,
  }) => {
    const made = await ace.exec('make:json-resource', ['json'])
    made.assertFailed()
    made.assertLogMatches(/The class would have the name of JsonResource, its base/)
    assert.isFalse(existsSync(app.makePath('app/resources/json_resource.ts')))
  })

  test('write files that compile and end in a newline', async ({ assert }) => {
    await generate()
    for (const file of FILES) {
      assert.match(await readFile(file, 'utf8'), /[^\n]\n$/, file)
    }
    assert.deepEqual(problemsOf(FILES), [])
  }).timeout(120_000)

  test('leave a file alone that is there', async ({ assert }) => {
    const [, , file] = GENERATORS.find(([command]) => command === 'make:service')!
    await mkdir(dirname(inFolder(file)), { recursive: true })
    await writeFile(inFolder(file), 'mine')
    const made = await ace.exec('make:service', [`${FOLDER}/thing`])
    made.assertLogMatches(/SKIPPED|already exists/i)
    assert.equal(await readFile(inFolder(file), 'utf8'), 'mine')
  })

  test('write files that Prettier accepts', async ({ assert }) => {
    await generate()
    const options = await resolveConfig(FILES[0]!)
    for (const filepath of FILES) {
      assert.isTrue(
        await check(await readFile(filepath, 'utf8'), { ...options, filepath }),
        filepath
      )
    }
  }).timeout(120_000)

  test('make:json-resource declares the relationships that it is given', async ({ assert }) => {
    await generate()
    const text = await readFile(inFolder('app/resources/$/article_resource.ts'), 'utf8')
    assert.include(text, "import { JsonResource, toMany, toOne } from 'adonis-auth-kit/json_api'")
    assert.include(text, 'author: toOne(() => UserResource),')
    assert.include(text, 'users: toMany(() => UserResource),')
    assert.include(text, 'related: toMany(() => ArticleResource),')
    const plain = await readFile(inFolder('app/resources/$/thing_resource.ts'), 'utf8')
    assert.notInclude(plain, 'toRelationships')
  })
})

/** What the compiler says of files of the project. */
function problemsOf(files: string[]) {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(app.makePath('tsconfig.json'), (name) => ts.sys.readFile(name)).config,
    ts.sys,
    app.makePath()
  )
  const types = fileNames.filter((name) => name.endsWith('.d.ts'))
  const program = ts.createProgram([...files, ...types], { ...options, noEmit: true })
  return files.flatMap((file) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)
  )
}
