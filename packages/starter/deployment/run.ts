/*
|--------------------------------------------------------------------------
| .ci/rehearse_deployment
|--------------------------------------------------------------------------
|
|   node --import=@poppinss/ts-exec packages/starter/deployment/run.ts FOLDER ADDRESS
|
| Takes the steps of the Dockerfile by hand, runs two processes of the build
| behind nginx with deploy/nginx.conf, on PostgreSQL when it answers, and checks
| what docs/deploying.md and docs/scaling.md promise. FOLDER holds the
| certificate and the key of ADDRESS, and may be filled.
|
*/

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { SMTPServer } from 'smtp-server'

import { environment, execute } from '#starter/helpers/execute'
import { createPostgres, createSqlite } from '#starter/helpers/own_database'
import { step } from '#starter/helpers/steps'

import * as checks from './checks.js'
import { copyContext } from './context.js'
import { type Image, buildByHand } from './dockerfile.js'
import { doctorComplains, doctorIsContent } from './doctor.js'
import { Proxy } from './proxy.js'
import { restartsUnnoticed } from './restart.js'
import { ServerProcess } from './servers.js'
import { addWaitingTool } from './waiting_tool.js'

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url))
const [folder = '', address = ''] = process.argv.slice(2)
const origin = `https://${address}`
const endings: (() => Promise<unknown>)[] = []
const key = () => randomBytes(32).toString('base64url')

async function startMailServer(): Promise<string> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, _session, callback) => stream.resume().on('end', callback),
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  endings.push(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return String((listening.address() as { port: number }).port)
}

/** What "npm run dev" writes to .env. */
async function developmentSettings(image: Image): Promise<Record<string, string>> {
  const example = await readFile(join(image.folder, '.env.example'), 'utf8')
  const lines = [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)]
  const given = Object.fromEntries(lines.map(([, name, value]) => [name!, value!]))
  /* A file knows its other variables; an environment has to be told. */
  const settings = { ...given, APP_URL: given.APP_URL!.replace('$PORT', given.PORT!) }
  return { ...settings, NODE_ENV: 'production', APP_KEY: key(), OAUTH_KEY: key() }
}

async function productionSettings(release: string): Promise<Record<string, string>> {
  const database = (await createPostgres('deployment')) ?? createSqlite(folder, 'deployment')
  endings.push(() => database.drop())
  process.stdout.write(`  Database: ${database.name}\n`)
  return {
    ...database.env,
    APP_URL: origin,
    OAUTH_ISSUER: origin,
    APP_KEY: key(),
    OAUTH_KEY: key(),
    HOST: '127.0.0.1',
    LOG_LEVEL: 'info',
    LIMITER_STORE: 'database',
    MAIL_MAILER: 'smtp',
    SMTP_HOST: '127.0.0.1',
    SMTP_PORT: await startMailServer(),
    TRUST_PROXY: 'loopback',
    RELEASE_FILE: release,
  }
}

async function build(): Promise<Image> {
  const context = join(folder, 'context')
  await copyContext(PROJECT, context)
  await addWaitingTool(context)
  return buildByHand(context, join(folder, 'image'))
}

async function isHealthyContainer(server: ServerProcess) {
  const [program, ...args] = server.image.healthCheck
  const run = (PORT: string, codes: number[]) =>
    execute(program!, args, { cwd: server.image.folder, env: { PORT }, codes })
  await run(String(server.port), [0])
  /* Nothing of this run listens there, and no container would. */
  await run('1', [1])
}

async function rehearse() {
  const release = join(folder, 'release')
  const image = await step('The steps of the Dockerfile', build)
  const development = await developmentSettings(image)
  await step('Doctor complains about the settings of development', () =>
    doctorComplains(image, { ...environment(), ...development })
  )
  const settings = await productionSettings(release)
  await step('Migrations, as a step of their own', () =>
    execute('node', ['ace.js', 'migration:run', '--force'], {
      cwd: image.folder,
      env: { ...image.env, ...settings },
    })
  )
  const servers = await step('Two processes', () =>
    Promise.all([1, 2].map(() => ServerProcess.start(image, settings)))
  )
  endings.push(() => Promise.all(servers.map((server) => server.stop())))
  const proxy = await step('nginx', () =>
    Proxy.start({
      sample: join(PROJECT, 'deploy/nginx.conf'),
      folder,
      address,
      certificates: folder,
      upstreams: servers.map(({ url }) => url),
    })
  )
  endings.push(() => proxy.stop())

  await step('The health check of the image', () => isHealthyContainer(servers[0]!))
  await step('Plain http leads to https', () => checks.redirectsToHttps(origin))
  await step('Live and ready through the proxy', () => checks.isHealthy(origin))
  await step('The issuer is the https address', () => checks.namesItsIssuer(origin))
  const visitor = await step('Sign-in, with secure cookies', () => checks.signsIn(origin))
  await step('The caller has its own address', () => checks.seesTheCaller(origin, visitor))
  await step('Both processes know the session', () =>
    checks.sharesSessions(origin, visitor, servers)
  )
  await step('MCP streams through the proxy', () =>
    checks.streams(origin, () => writeFile(release, ''))
  )
  await step('Doctor is content', () => doctorIsContent(image, settings))
  await step('Each process restarts under load, and no request fails', () =>
    restartsUnnoticed(origin, visitor, servers)
  )
  if (proxy.complaints) {
    process.stdout.write(`  nginx said:\n${proxy.complaints}`)
  }
}

await mkdir(folder, { recursive: true })
try {
  await rehearse()
} finally {
  for (const end of endings.reverse()) {
    await end()
  }
}
