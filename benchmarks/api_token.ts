/*
|--------------------------------------------------------------------------
| API tokens
|--------------------------------------------------------------------------
|
|   npm run benchmark -- api_token
|
| CPU time of recognising a token, beside its parts: the one statement that
| reads token and user, and the one SHA-256. On the test database, in a
| transaction that is rolled back.
|
*/

import { app, finish, measurer } from './harness.js'

const { hashSecret } = await import('#kit/security/secrets')
const { UserFactory } = await import('#database/factories/user_factory')
const { default: db } = await import('@adonisjs/lucid/services/db')

const measure = measurer({ calls: 5000, rounds: 5 })
const manager = await app.container.make('auth_manager')
const tokens = manager.feature('apiTokens')!
const users = manager.usersOf('api')
const { plainText, details } = await tokens.create(users, await UserFactory.create())
const secret = plainText.split('|')[1]

await measure('recognise a token', () => tokens.verify(plainText, users))
await measure('  the statement', () => tokens.repository.find(details.id, users))
await measure('  the hash', () => hashSecret(secret!))
await measure('a token that is malformed', () => tokens.verify('1|x|y', users))
await measure('a bare SELECT by primary key', () =>
  db.rawQuery('SELECT id FROM personal_api_tokens WHERE id = ?', [details.id])
)

await tokens.settled()
await finish()
