import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'

import type Configure from '@adonisjs/core/commands/configure'

import { endMadeFilesInNewline } from '#config/main'
import { CommandRefused, assertCommand } from '#process/kit_command'
import { keepingLineEnds } from '#process/line_ends'
import { stubsIn, writeStubs, stubsRoot } from '#stubs/main'

type Feature = 'oauth2' | 'mcp' | 'json_api' | 'passkeys'

/** What an application can take, in the order in which it is written. */
const FEATURES: Record<Feature, Part> = {
  oauth2: {
    title: 'OAuth 2.1 server: users of this application approve clients',
    published: 'auth-oauth2',
    aliases: ['#services/*'],
  },
  mcp: {
    title: 'MCP server: AI clients call tools with tokens of the OAuth 2.1 server',
    published: 'mcp',
    aliases: ['apps', 'prompts', 'resources', 'servers', 'tools'].map((kind) => `#mcp/${kind}/*`),
    provider: 'mcp_provider',
    preload: '#start/mcp',
  },
  json_api: {
    title: 'JSON:API: routes that answer with resources of models',
    aliases: ['#resources/*'],
  },
  passkeys: {
    title: 'Passkeys: users sign in with a key that their device keeps',
    published: 'auth-passkeys',
    aliases: ['#controllers/*'],
    provider: 'auth_passkeys_provider',
    preload: '#start/passkeys',
  },
}

interface Part {
  title: string
  /** Its folder of stubs with migrations. */
  published?: string
  aliases: string[]
  provider?: string
  preload?: string
}

/** What is written, and whose access tokens are accepted; null for nobody's. */
type Choice = { features: Feature[]; server: 'oauth2' | 'sesame' | null }

/** Providers of packages that have to be listed already. */
const REQUIRED = [
  '@adonisjs/auth/auth_provider',
  '@adonisjs/session/session_provider',
  '@adonisjs/lucid/database_provider',
]

const SESAME = '@julr/sesame/sesame_provider'
const HOST_CONFIG = 'configure/host/config/auth_server.ts.stub'

/** The scope that MCP mounts ask for, and where it goes in config/sesame.ts. */
const SCOPE = `'mcp:use': 'Connect an AI client to this application',`
const SESAME_SCOPES = /^( *)scopes: \{\n/m

/** Aliases of every feature. */
const COMMON = ['#config/*', '#models/*', '#start/*']

/** Where an alias leads: to a folder of app/, or of the root. */
const targetOf = (alias: string) =>
  `./${alias === '#config/*' || alias === '#start/*' ? '' : 'app/'}${alias.slice(1)}.js`

type Codemods = Awaited<ReturnType<Configure['createCodemods']>>

/** Brings features into an application on `@adonisjs/auth`, whose users, sessions and `ctx.auth` stay what they are. */
export async function configure(command: Configure): Promise<void> {
  const { app, logger } = command
  endMadeFilesInNewline()
  try {
    const listed = await readFile(app.makePath('adonisrc.ts'), 'utf8')
    assertOnAdonisAuth(listed)
    const choice = await choose(command, listed.includes(SESAME))
    await addAliases(app.makePath('package.json'), choice)
    if (choice.server === 'sesame') {
      await offerScope(app.configPath('sesame.ts'))
    }

    const codemods = await command.createCodemods()
    const root = app.makePath()
    const sessionGuard = await sessionGuardOf(app.configPath('auth.ts'))
    const { server } = choice
    await codemods.makeUsingStub(stubsRoot, HOST_CONFIG, { sessionGuard, server })
    for (const feature of choice.features) {
      await writeFeature(codemods, root, feature)
    }
    await register(codemods, choice)
    if (server && !(await hasGuard(app.configPath('auth_server.ts'), server))) {
      logger.warning(
        `config/auth_server.ts has no guard that accepts access tokens: add "oauth: ${server}Guard({ provider: 'users' })"`
      )
    }
    if (choice.features.includes('oauth2')) {
      await defineVariables(codemods, app.makePath('start/env.ts'))
    }
    logger.info(
      'Run "node ace migration:run". What to do next: docs/existing-app.md of adonis-auth-kit.'
    )
  } catch (error) {
    if (!(error instanceof CommandRefused)) {
      throw error
    }
    logger.error(error.message)
    command.exitCode = 1
  }
}

async function writeFeature(codemods: Codemods, root: string, feature: Feature) {
  await writeStubs(codemods, root, await stubsIn('configure', feature))
  const { published } = FEATURES[feature]
  const files = published ? await stubsIn('publish', published) : []
  const migrations = files.filter(({ path }) => path.startsWith('database/migrations/'))
  await writeStubs(codemods, root, migrations)
}

function assertOnAdonisAuth(listed: string) {
  const missing = REQUIRED.filter((provider) => !listed.includes(provider))
  assertCommand(
    !missing.length,
    `adonisrc.ts does not list ${missing.join(', ')}: the features work with users and sessions of @adonisjs/auth.`
  )
}

/** The features that the person names, and what they need. */
async function choose({ parsedFlags, prompt }: Configure, hasSesame: boolean): Promise<Choice> {
  const { auth = hasSesame ? 'sesame' : 'oauth2' } = parsedFlags
  const isKnown = auth === 'oauth2' || auth === 'sesame'
  assertCommand(isKnown, `There is no OAuth server "${auth}". Known: oauth2, sesame`)
  assertCommand(
    auth !== 'sesame' || hasSesame,
    `adonisrc.ts does not list ${SESAME}: run "node ace add @julr/sesame" first.`
  )
  const known = Object.keys(FEATURES) as Feature[]
  const offered = known.filter((name) => auth !== 'sesame' || name !== 'oauth2')
  const choices = offered.map((name) => ({ name, message: FEATURES[name].title }))
  /* Several flags are a list of texts, and a flag without names is true. */
  const flag = parsedFlags.features?.toString() as string | undefined
  const asking = `Nobody can be asked here: name the features, e.g. "--features=${offered.join(',')}"`
  assertCommand(flag !== undefined || process.stdin.isTTY, asking)
  const named = flag?.split(',') ?? (await prompt.multiple('Which features?', choices)) ?? []
  const unknown = named.find((name) => !offered.includes(name as Feature))
  assertCommand(
    unknown === undefined && named.length > 0,
    `There is no feature "${unknown ?? ''}". Known: ${offered.join(', ')}`
  )
  const needed = named.includes('mcp') ? [...named, 'oauth2'] : named
  const features = offered.filter((name) => needed.includes(name))
  const hasTokens = features.some((name) => name === 'oauth2' || name === 'mcp')
  return { features, server: hasTokens ? auth : null }
}

/** @throws {CommandRefused} where the settings of Sésame, whose own command to write them fails, are not there */
async function offerScope(file: string) {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new CommandRefused(
      'There is no config/sesame.ts: copy it from the stubs of @julr/sesame.'
    )
  })
  if (!text.includes(`'mcp:use'`)) {
    const offer = (lines: string) => lines.replace(SESAME_SCOPES, `$&$1  ${SCOPE}\n`)
    await writeFile(file, keepingLineEnds(text, offer))
  }
}

async function addAliases(file: string, { features }: Choice) {
  const text = await readFile(file, 'utf8')
  const content = JSON.parse(text)
  const names = [...COMMON, ...features.flatMap((name) => FEATURES[name].aliases)]
  const aliases = names.map((alias) => [alias, targetOf(alias)] as const)
  for (const [alias, target] of aliases) {
    const taken = content.imports?.[alias]
    assertCommand(
      taken === undefined || taken === target,
      `package.json has the alias "${alias}" for ${taken}: rename it, the features need it.`
    )
  }
  content.imports = { ...content.imports, ...Object.fromEntries(aliases) }
  const written = keepingLineEnds(text, () => `${JSON.stringify(content, null, 2)}\n`)
  await writeFile(file, written)
}

/** The session guard that config/auth.ts has: "web", or the first one. */
async function sessionGuardOf(authFile: string): Promise<string> {
  const auth = await readFile(authFile, 'utf8')
  const names = [...auth.matchAll(/(\w+):\s*sessionGuard\(/g)].map(([, name]) => name!)
  return names.includes('web') ? 'web' : (names[0] ?? 'web')
}

/** An earlier feature may have written the file, without a guard of access tokens. */
async function hasGuard(file: string, server: string): Promise<boolean> {
  const text = await readFile(file, 'utf8')
  return text.includes(`${server}Guard(`)
}

async function register(codemods: Codemods, { features, server }: Choice) {
  await codemods.updateRcFile((rc) => {
    rc.addCommand('adonis-auth-kit/commands')
    rc.addProvider('adonis-auth-kit/providers/host_provider')
    if (server) rc.addProvider(`adonis-auth-kit/providers/auth_${server}_provider`)
    for (const { provider, preload } of features.map((name) => FEATURES[name])) {
      if (provider) rc.addProvider(`adonis-auth-kit/providers/${provider}`)
      if (preload) rc.addPreloadFile(preload)
    }
  })
  await codemods.registerMiddleware('server', [
    { path: 'adonis-auth-kit/http/middleware/route_cors_middleware', position: 'before' },
  ])
  const hasJsonApi = features.includes('json_api')
  const middleware = 'adonis-auth-kit/json_api/middleware'
  await codemods.registerMiddleware('router', [
    { path: 'adonis-auth-kit/auth/middleware/intended_url_middleware' },
    ...(hasJsonApi ? [{ path: `${middleware}/json_api_resources_middleware` }] : []),
  ])
  const scopes = { name: 'scopes', path: 'adonis-auth-kit/auth/middleware/scopes_middleware' }
  await codemods.registerMiddleware('named', [
    { name: 'authenticated', path: 'adonis-auth-kit/auth/middleware/auth_middleware' },
    /* Sésame has one of this name. */
    ...(server === 'oauth2' ? [scopes] : []),
    ...(hasJsonApi ? [{ name: 'jsonApi', path: `${middleware}/json_api_middleware` }] : []),
  ])
}

/** A key that is there stays: tokens and codes are signed with it. */
async function defineVariables(codemods: Codemods, envFile: string) {
  const validated = await readFile(envFile, 'utf8')
  if (validated.includes('OAUTH_KEY')) {
    return
  }
  await codemods.defineEnvVariables(
    { OAUTH_KEY: randomBytes(32).toString('base64url'), OAUTH_ISSUER: '' },
    { omitFromExample: ['OAUTH_KEY'] }
  )
  await codemods.defineEnvValidations({
    leadingComment: 'Variables for the OAuth 2.1 server',
    variables: {
      OAUTH_KEY: 'Env.schema.secret()',
      OAUTH_ISSUER: `Env.schema.string.optional({ format: 'url', tld: false, protocol: true })`,
    },
  })
}
