/*
|--------------------------------------------------------------------------
| API tokens
|--------------------------------------------------------------------------
|
|   node --import @poppinss/ts-exec benchmarks/api_token.ts
|
| CPU time of recognising a token, beside its parts: the one statement that
| reads token and user, and the one SHA-256. On the test database, in a
| transaction that is rolled back.
|
*/

process.env.NODE_ENV = 'test'
process.env.LOG_LEVEL = 'silent'
await import('reflect-metadata')

const { Ignitor } = await import('@adonisjs/core')
const { APP_ROOT, IMPORTER } = await import('../bin/ignitor.js')

const CALLS = 5000
const ROUNDS = 5

const ignitor = new Ignitor(APP_ROOT, { importer: IMPORTER }).tap((application) => {
  application.booting(async () => {
    await import('#start/env')
  })
})
const app = ignitor.createApp('console')
await app.init()
await app.boot()
await app.start(() => {})

const { hashSecret } = await import('#auth/secrets')
const { UserFactory } = await import('#database/factories/user_factory')
const { default: db } = await import('@adonisjs/lucid/services/db')

await db.beginGlobalTransaction()
const manager = await app.container.make('auth_manager')
const tokens = manager.feature('apiTokens')!
const users = manager.usersOf('api')
const { plainText, details } = await tokens.create(users, await UserFactory.create())
const secret = plainText.split('|')[1]

/** The best of a few rounds, in microseconds of CPU time for each call. */
async function measure(name: string, call: () => unknown) {
  let best = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage()
    for (let count = 0; count < CALLS; count++) {
      await call()
    }
    const { user, system } = process.cpuUsage(start)
    best = Math.min(best, (user + system) / CALLS)
  }
  process.stdout.write(`${name.padEnd(40)} ${best.toFixed(1).padStart(8)} µs\n`)
}

await measure('recognise a token', () => tokens.verify(plainText, users))
await measure('  the statement', () => tokens.repository.find(details.id, users))
await measure('  the hash', () => hashSecret(secret))
await measure('a token that is malformed', () => tokens.verify('1|x|y', users))
await measure('a bare SELECT by primary key', () =>
  db.rawQuery('SELECT id FROM personal_api_tokens WHERE id = ?', [details.id])
)

await tokens.settled()
await db.rollbackGlobalTransaction()
await app.terminate()
